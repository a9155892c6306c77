# A web server, whose clients are in the same process.
hindsight_live_test(live_requests_test SIDE_BY_SIDE requests_test.cc)
foreach(version 8 9 10)
  hindsight_publish(web-shop-${version} PROJECT WebShop FRAMEWORK net${version}.0
                    OUTPUT web_shop_${version})
  list(POP_BACK web_shop_${version} program)
  target_compile_definitions(live_requests_test PRIVATE HINDSIGHT_WEB_SHOP_${version}="${program}")
  add_dependencies(live_requests_test web-shop-${version})
endforeach()
target_link_libraries(live_requests_test PRIVATE hindsight_raw_recording)

# One with a database, likewise.
hindsight_live_test(live_request_details_test SIDE_BY_SIDE request_details_test.cc)
if(TARGET hindsight_test_postgres)
  target_link_libraries(live_request_details_test PRIVATE hindsight_test_postgres)
endif()
foreach(version 8 9 10)
  hindsight_publish(queries-${version} PROJECT Queries FRAMEWORK net${version}.0
                    OUTPUT queries_${version})
  list(POP_BACK queries_${version} program)
  target_compile_definitions(live_request_details_test PRIVATE
    HINDSIGHT_QUERIES_${version}="${program}")
  add_dependencies(live_request_details_test queries-${version})
endforeach()
