# The templates of report.html, of explain.html and of all other pages, bundled from report/ into a file each (tools/build_report_page.sh).
file(GLOB_RECURSE report_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/report/src/*)
set(report_pages ${DUET_SHARE}/report/report.html ${DUET_SHARE}/report/pages.html ${DUET_SHARE}/report/explain.html)
add_custom_command(
  OUTPUT ${report_pages}
  COMMAND ${CMAKE_SOURCE_DIR}/tools/build_report_page.sh ${CMAKE_SOURCE_DIR}/report ${CMAKE_BINARY_DIR}/report ${DUET_SHARE}/report
  DEPENDS ${report_sources} ${CMAKE_SOURCE_DIR}/report/build.mjs ${CMAKE_SOURCE_DIR}/report/template.html
          ${CMAKE_SOURCE_DIR}/report/package.json ${CMAKE_SOURCE_DIR}/report/package-lock.json ${CMAKE_SOURCE_DIR}/report/.npmrc
          ${CMAKE_SOURCE_DIR}/tools/build_report_page.sh
  COMMENT "Bundling report.html, pages.html and explain.html"
  VERBATIM)
add_custom_target(report_page ALL DEPENDS ${report_pages})
install(FILES ${report_pages} DESTINATION share/duet/report)
