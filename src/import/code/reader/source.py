"""The files that are read: found, parsed, and what they define and import. Nothing of them is imported or run."""

from __future__ import annotations

import ast
import os
import stat
from dataclasses import dataclass, field
from typing import Union

from catalogue import DOT_OF_A_FOLDER
from directives import Directive, directives_of

MOST_FILES = 5000
MOST_BYTES = 2 << 20  # of one file
MOST_IN_ALL = 64 << 20
SKIPPED_FOLDERS = ("__pycache__", "node_modules", "build", "site-packages")

MODULE_BASES = ("Module", "Model", "Transformer", "Mixin")  # how the names of bases of modules end

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]  # noqa: UP007 (of Python 3.9)


@dataclass
class Function:
    key: str  # "@<file>:<qualified name>"
    name: str  # "Trainer.setup"; "" for the body of the file
    module: Module
    node: FunctionNode | ast.Module
    owner: str = ""  # the class that it is a method of


@dataclass
class Module:
    path: str
    parts: tuple[str, ...]  # of the absolute path, without the ending: ("home", "a", "train", "parallel")
    tree: ast.Module
    is_package: bool
    imports: dict[str, str] = field(default_factory=dict)  # at the top of the file: name -> in full
    stars: list[str] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    bases: dict[str, list[str]] = field(default_factory=dict)  # of its classes, as written
    directives: list[Directive] = field(default_factory=list)


@dataclass(frozen=True)
class BadFile:
    file: str
    line: int
    text: str


@dataclass
class Sources:
    modules: list[Module] = field(default_factory=list)
    bad: list[BadFile] = field(default_factory=list)
    left_out: list[BadFile] = field(default_factory=list)  # what a folder holds beyond the limits


def read_sources(path: str) -> Sources:
    sources = Sources()
    files = _files_of(path, sources) if os.path.isdir(path) else [path]
    in_all = 0
    for file in files:
        try:
            size = os.stat(file).st_size
            if size > MOST_BYTES:
                sources.bad.append(
                    BadFile(file, 0, f"has {size} bytes; files of up to {MOST_BYTES} are read")
                )
                continue
            in_all += size
            if in_all > MOST_IN_ALL:
                sources.left_out.append(
                    BadFile(
                        file,
                        0,
                        f"it and what follows is beyond {MOST_IN_ALL} bytes in all; scan a part of the folder",
                    )
                )
                break
            with open(file, "rb") as opened:
                text = opened.read(MOST_BYTES + 1)
        except OSError as error:
            sources.bad.append(BadFile(file, 0, f"cannot be read: {error.strerror}"))
            continue
        parsed = _parsed(file, text)
        if isinstance(parsed, BadFile):
            sources.bad.append(parsed)
        else:
            sources.modules.append(_indexed(file, parsed))
            sources.modules[-1].directives = directives_of(text)
    return sources


def _files_of(folder: str, sources: Sources) -> list[str]:
    """Every .py below the folder, in one order on every machine. A folder is entered once, whatever links lead to it."""
    files: list[str] = []
    entered: set[tuple[int, int]] = set()
    for here, folders, names in os.walk(folder, followlinks=True):
        about = os.stat(here)
        if (about.st_dev, about.st_ino) in entered:
            folders.clear()
            continue
        entered.add((about.st_dev, about.st_ino))
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS
        )
        for name in sorted(names):
            file = os.path.join(here, name)
            if not name.endswith(".py") or not _is_file(file):
                continue
            if len(files) == MOST_FILES:
                sources.left_out.append(
                    BadFile(
                        file,
                        0,
                        f"it and what follows is beyond {MOST_FILES} files; scan a part of the folder",
                    )
                )
                return files
            files.append(file)
    return files


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _parsed(file: str, text: bytes) -> ast.Module | BadFile:
    try:
        return ast.parse(text, filename=file)
    except SyntaxError as error:
        return BadFile(file, error.lineno or 0, f"is not Python that this interpreter reads: {error.msg}")
    except ValueError as error:
        return BadFile(file, 0, f"is not Python: {error}")
    except (RecursionError, MemoryError):
        return BadFile(file, 0, "is nested too deeply to be read")


def _indexed(file: str, tree: ast.Module) -> Module:
    parts = (
        tuple(os.path.abspath(file)[: -len(".py")].strip("/").split("/")) if file.endswith(".py") else (file,)
    )
    is_package = parts[-1] == "__init__"
    module = Module(file, parts[:-1] if is_package else parts, tree, is_package)
    module.functions[""] = Function(f"@{file}:", "", module, tree)
    _index_body(tree.body, module, "", "")
    return module


def _index_body(body: list[ast.stmt], module: Module, prefix: str, owner: str) -> None:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = prefix + node.name
            # Of two definitions of one name the last one stands, as in Python.
            module.functions[name] = Function(f"@{module.path}:{name}", name, module, node, owner)
        elif isinstance(node, ast.ClassDef):
            module.bases[prefix + node.name] = [
                base.id if isinstance(base, ast.Name) else base.attr
                for base in node.bases
                if isinstance(base, (ast.Name, ast.Attribute))
            ]
            _index_body(node.body, module, prefix + node.name + ".", prefix + node.name)
        elif isinstance(node, (ast.If, ast.Try)):
            for part in (node.body, node.orelse, getattr(node, "finalbody", [])):
                _index_body(part, module, prefix, owner)
            for handler in getattr(node, "handlers", []):
                _index_body(handler.body, module, prefix, owner)
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and not owner:
            names, stars = imported_names(node, module)
            module.imports.update(names)
            module.stars.extend(stars)


def imported_names(node: ast.Import | ast.ImportFrom, module: Module) -> tuple[dict[str, str], list[str]]:
    """What an import binds, name -> in full, and the modules of which it takes all names."""
    names: dict[str, str] = {}
    stars: list[str] = []
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                names[alias.asname] = alias.name
            else:
                names[alias.name.split(".")[0]] = alias.name.split(".")[0]
        return names, stars
    origin = node.module or ""
    if node.level:
        package = module.parts if module.is_package else module.parts[:-1]
        folder = "/" + "/".join(package[: len(package) - node.level + 1])
        origin = ".".join([folder.replace(".", DOT_OF_A_FOLDER), *([origin] if origin else [])])
    for alias in node.names:
        if alias.name == "*":
            stars.append(origin)
        else:
            names[alias.asname or alias.name] = f"{origin}.{alias.name}"
    return names, stars


class Project:
    """The files read, as a place to look names up in."""

    def __init__(self, sources: Sources) -> None:
        self.modules = sources.modules
        self._by_last: dict[str, list[Module]] = {}
        self._methods: dict[str, list[Function]] = {}
        for module in self.modules:
            self._by_last.setdefault(module.parts[-1], []).append(module)
        self.by_key = {
            function.key: function for module in self.modules for function in module.functions.values()
        }

    def module_named(self, dotted: str, asking: Module) -> Module | None:
        """The file that an import of this name reaches from another one: the nearest whose path ends like it."""
        if dotted.startswith("/"):  # relative imports were made a path
            folder, _, rest = dotted.partition(".")
            folders = folder.replace(DOT_OF_A_FOLDER, ".").strip("/").split("/")
            wanted = (*folders, *(rest.split(".") if rest else ()))
            whole = [module for module in self._by_last.get(wanted[-1], []) if module.parts == wanted]
            return whole[0] if whole else None
        wanted = tuple(dotted.split("."))
        found = [
            module for module in self._by_last.get(wanted[-1], []) if module.parts[-len(wanted) :] == wanted
        ]
        return max(found, key=lambda module: _shared(module.parts, asking.parts)) if found else None

    def function_named(self, dotted: str, asking: Module, depth: int = 0) -> Function | None:
        """A function, or a class's __init__, of the files read, by its name in full; also where another file passes it on."""
        origin, _, name = dotted.rpartition(".")
        if not origin or depth > 8:
            return None
        module = self.module_named(origin, asking)
        if module is None:
            owner = self.module_named(origin.rpartition(".")[0], asking) if "." in origin else None
            method = f"{origin.rpartition('.')[2]}.{name}"
            return owner.functions.get(method) if owner is not None else None
        if name in module.functions:
            return module.functions[name]
        if name in module.imports and module.imports[name] != dotted:
            return self.function_named(module.imports[name], module, depth + 1)
        for star in module.stars:
            found = self.function_named(f"{star}.{name}", module, depth + 1)
            if found is not None:
                return found
        return None

    def class_named(self, ref: str, asking: Module, depth: int = 0) -> tuple[Module, str] | None:
        """The class that a callable's name in full is, and its file."""
        if ref.startswith("@"):
            path, _, name = ref[1:].rpartition(":")
            return next(((one, name) for one in self.modules if one.path == path and name in one.bases), None)
        origin, _, name = ref.rpartition(".")
        module = self.module_named(origin, asking) if origin else None
        if module is None or depth > 8:
            return None
        if name in module.bases:
            return module, name
        return self.class_named(module.imports[name], module, depth + 1) if name in module.imports else None

    def owners_of(self, name: str) -> list[Function]:
        """The methods of this name of all classes of the files that a base makes a module by its name."""
        if not self._methods:
            for module in self.modules:
                for function in module.functions.values():
                    bases = module.bases.get(function.owner, [])
                    if any(base.endswith(MODULE_BASES) or base in module.bases for base in bases):
                        self._methods.setdefault(function.name.rpartition(".")[2], []).append(function)
        return self._methods.get(name, [])

    def method_named(self, owner: str, name: str, module: Module, depth: int = 0) -> Function | None:
        if f"{owner}.{name}" in module.functions:
            return module.functions[f"{owner}.{name}"]
        for base in module.bases.get(owner, []):
            if depth < 8 and base in module.bases:
                found = self.method_named(base, name, module, depth + 1)
                if found is not None:
                    return found
        return None


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count
