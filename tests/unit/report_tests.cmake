# Tests of the diagnostics, the ww tool and the reports. Golden files are read, and rewritten, in the source tree.
#
#   ww_report_test(name library sources...)
function(ww_report_test name library)
  add_executable(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.c ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR}/device)
  target_compile_definitions(${name} PRIVATE WW_REPOSITORY="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${library} cmocka)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 60)
endfunction()

set(unit ${CMAKE_CURRENT_LIST_DIR})
set(golden ${CMAKE_CURRENT_LIST_DIR}/../golden)
ww_report_test(diag_test ww_base)
ww_report_test(diag_tool_test ww_base ${unit}/report_golden.c)
target_compile_definitions(diag_tool_test PRIVATE WW_TOOL="$<TARGET_FILE:ww>")
add_dependencies(diag_tool_test ww)
ww_report_test(report_test warpwright ${unit}/report_golden.c ${unit}/emit_kernels.c ${golden}/two_tasks.c
               ${golden}/gemm.c)

# What the graphs say must also be Graphviz.
find_program(WW_DOT dot)
if(WW_DOT)
  foreach(kernel two_tasks gemm)
    add_test(NAME report_graph_${kernel} COMMAND ${WW_DOT} -Tsvg -o ${CMAKE_BINARY_DIR}/tests/${kernel}.svg
                                                 ${golden}/${kernel}.dot)
  endforeach()
endif()
