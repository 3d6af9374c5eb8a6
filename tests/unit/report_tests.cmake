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
ww_report_test(diag_order_test ww_base)
ww_report_test(diag_colour_test ww_base)
ww_report_test(diag_json_test warpwright ${unit}/diag_json_reader.c)
ww_report_test(diag_suppress_test ww_complete ${unit}/diag_sample.c)
ww_report_test(diag_doubts_test ww_complete)
ww_report_test(diag_findings_test ww_complete ${unit}/diag_sample.c ${unit}/diag_json_reader.c)
ww_report_test(json_read_test warpwright)
ww_report_test(witness_test warpwright)
ww_report_test(diag_app_test warpwright ${unit}/diag_json_reader.c)
add_executable(diag_app ${unit}/diag_app.c ${unit}/diag_sample.c)
target_link_libraries(diag_app PRIVATE warpwright)
set_target_properties(diag_app PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_compile_definitions(diag_app_test PRIVATE DIAG_APP="$<TARGET_FILE:diag_app>")
add_dependencies(diag_app_test diag_app)
ww_report_test(diag_tool_test ww_base ${unit}/report_golden.c)
target_compile_definitions(diag_tool_test PRIVATE WW_TOOL="$<TARGET_FILE:ww>")
add_dependencies(diag_tool_test ww)
ww_report_test(report_test ww_complete ${unit}/report_golden.c ${unit}/emit_kernels.c ${golden}/two_tasks.c
               ${golden}/gemm.c)

ww_report_test(report_reuse_test ww_complete)

# Tables of programs: an example, and a feature kernel of a pair of CTAs.
ww_report_test(report_programs_test ww_base ${unit}/report_golden.c)
target_compile_definitions(report_programs_test PRIVATE GEMM="$<TARGET_FILE:gemm>" FEATURES="$<TARGET_FILE:features>")
add_dependencies(report_programs_test gemm features)

# What the graphs say must also be Graphviz.
find_program(WW_DOT dot)
if(WW_DOT)
  foreach(kernel two_tasks gemm)
    add_test(NAME report_graph_${kernel} COMMAND ${WW_DOT} -Tsvg -o ${CMAKE_BINARY_DIR}/tests/${kernel}.svg
                                                 ${golden}/${kernel}.dot)
  endforeach()
endif()
