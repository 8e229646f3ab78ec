# The templates of report.html, of explain.html and of all other pages, bundled from web/ into a file each (tools/build_report_page.sh).
file(GLOB_RECURSE report_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
set(report_pages ${DUET_SHARE}/report/report.html ${DUET_SHARE}/report/pages.html ${DUET_SHARE}/report/explain.html)
add_custom_command(
  OUTPUT ${report_pages}
  COMMAND ${CMAKE_SOURCE_DIR}/tools/build_report_page.sh ${CMAKE_SOURCE_DIR}/web ${CMAKE_BINARY_DIR}/web ${DUET_SHARE}/report
  DEPENDS ${report_sources} ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/template.html
          ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/package-lock.json ${CMAKE_SOURCE_DIR}/web/.npmrc
          ${CMAKE_SOURCE_DIR}/tools/build_report_page.sh
  COMMENT "Bundling report.html, pages.html and explain.html"
  VERBATIM)
add_custom_target(report_page ALL DEPENDS ${report_pages})
install(FILES ${report_pages} DESTINATION share/duet/report)
