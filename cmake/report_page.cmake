# The template of report.html, bundled from report/ into one file (tools/build_report_page.sh).
file(GLOB report_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/report/src/*)
set(report_page ${DUET_SHARE}/report/report.html)
add_custom_command(
  OUTPUT ${report_page}
  COMMAND ${CMAKE_SOURCE_DIR}/tools/build_report_page.sh ${CMAKE_SOURCE_DIR}/report ${CMAKE_BINARY_DIR}/report ${report_page}
  DEPENDS ${report_sources} ${CMAKE_SOURCE_DIR}/report/build.mjs ${CMAKE_SOURCE_DIR}/report/template.html
          ${CMAKE_SOURCE_DIR}/report/package.json ${CMAKE_SOURCE_DIR}/report/package-lock.json ${CMAKE_SOURCE_DIR}/report/.npmrc
          ${CMAKE_SOURCE_DIR}/tools/build_report_page.sh
  COMMENT "Bundling report.html"
  VERBATIM)
add_custom_target(report_page ALL DEPENDS ${report_page})
install(FILES ${report_page} DESTINATION share/duet/report)
