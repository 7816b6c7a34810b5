# Writes `page`, the man page of `version`: what --help of `program` and of each of its subcommands says, so that they cannot differ.
function(in_roff variable)
  execute_process(COMMAND ${program} ${ARGN} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\\" "\\e" help "${help}")
  string(REPLACE "-" "\\-" help "${help}")
  string(REPLACE "\n" "\n\\&" help "${help}")
  set(${variable} "${help}" PARENT_SCOPE)
endfunction()

in_roff(help)
set(text ".TH ORDERCHECK 1 \"\" \"ordercheck ${version}\"
.SH NAME
ordercheck \\- check the order in which parallelism and wrappers are applied to a model
.SH DESCRIPTION
.nf
\\&${help}
.fi
.SH COMMANDS
")
string(REGEX MATCHALL "\n..  [a-z]+  " commands "${help}")
foreach(command IN LISTS commands)
  string(REGEX MATCH "[a-z]+" command "${command}")
  in_roff(help ${command})
  string(APPEND text ".SS ${command}\n.nf\n\\&${help}\n.fi\n")
endforeach()
file(WRITE "${page}" "${text}")
