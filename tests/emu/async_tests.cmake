# Number formats and asynchronous engines of the emulator. Include from tests/CMakeLists.txt.
function(ww_async_test name)
  add_executable(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.c)
  target_link_libraries(${name} PRIVATE wwemu cmocka)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 60)
endfunction()

ww_async_test(async_num)
ww_async_test(async_tensor)
ww_async_test(async_tensor_map)
ww_async_test(async_wgmma)
ww_async_test(async_wgmma_hardware)
