"""Which word of the sources stands for which other, and which words are none of a site's."""

AXES = ("pp", "dp_replicate", "dp_shard", "cp", "tp")
NEXT_AXIS = {axis: AXES[(i + 1) % len(AXES)] for i, axis in enumerate(AXES)} | {"ep": "edp", "edp": "ep"}
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
NEIGHBOUR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

# What takes an operator's place is named after both.
NAME_OF = {
    (text, other): "".join(
        {"=": "Equal", "!": "Not", "<": "Less", ">": "Greater", "+": "Plus", "-": "Minus"}[c]
        for c in text + other
    )
    for text, other in [*NEGATED.items(), *NEIGHBOUR.items(), ("+", "-"), ("-", "+")]
}

# Functions of which an argument that is a number is a dim.
TAKE_DIMS = {
    "all_gather",
    "cat",
    "index_select",
    "movedim",
    "narrow",
    "reduce_scatter",
    "softmax",
    "size",
    "split",
}
TAKE_DIMS |= {"stack", "sum", "transpose", "unsqueeze"}

# What they are given, or make, is the text of an error, or what no run may violate.
TEXT_FUNCTIONS = {"row_text", "place_text", "wait_text", "signature", "one_line"}
TEXTS = {
    "format",
    "runtime_error",
    "Error",
    "Unsupported",
    "Aborted",
    "assert",
    "break_graph",
    "Disagreement",
}

# No call begins with them.
NO_STATEMENT = {
    "return",
    "throw",
    "delete",
    "using",
    "const",
    "auto",
    "static",
    "if",
    "for",
    "while",
    "switch",
}
NO_STATEMENT |= {"case", "break", "continue", "else", "do"}
