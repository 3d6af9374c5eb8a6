# Tests of declaring, recording, lowering and emitting.
function(ww_core_test name)
  add_executable(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.c ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  target_compile_definitions(${name} PRIVATE WW_REPOSITORY="${CMAKE_SOURCE_DIR}" WW_TOOL="$<TARGET_FILE:ww>")
  target_link_libraries(${name} PRIVATE warpwright cmocka)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 60)
endfunction()

set(core ${CMAKE_CURRENT_LIST_DIR}/core_kernel.c)
ww_core_test(model_test ${core})
ww_core_test(capture_test ${core})
ww_core_test(lower_test ${core})
ww_core_test(emit_test ${CMAKE_CURRENT_LIST_DIR}/report_golden.c ${CMAKE_SOURCE_DIR}/tests/golden/two_tasks.c
             ${CMAKE_SOURCE_DIR}/tests/golden/gemm.c)
