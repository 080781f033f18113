# The page of `orrery report`: TypeScript and CSS of web/ become one script and one style with Debian's esbuild (one Go program, no npm).
find_program(ORRERY_ESBUILD esbuild)
if(ORRERY_ESBUILD)
  set(ORRERY_WEB_DEFAULT ON)
else()
  set(ORRERY_WEB_DEFAULT OFF)
endif()
option(ORRERY_WEB "Bundle web/ into the program, for orrery report (needs esbuild)" ${ORRERY_WEB_DEFAULT})
if(ORRERY_WEB AND NOT ORRERY_ESBUILD)
  message(FATAL_ERROR "ORRERY_WEB needs esbuild (scripts/setup.sh build installs it); -DORRERY_WEB=OFF builds without the page")
endif()

# orrery_embed_web(TARGET SOURCE): SOURCE of TARGET takes in the bundled files with .incbin.
function(orrery_embed_web target source)
  if(NOT ORRERY_WEB)
    return()
  endif()
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.ts ${PROJECT_SOURCE_DIR}/web/*.css)
  set(folder ${CMAKE_BINARY_DIR}/web)
  add_custom_command(
    OUTPUT ${folder}/main.js ${folder}/style.css
    COMMAND ${ORRERY_ESBUILD} ${PROJECT_SOURCE_DIR}/web/main.ts --bundle --minify --target=es2020 --log-level=warning --outfile=${folder}/main.js
    COMMAND ${ORRERY_ESBUILD} ${PROJECT_SOURCE_DIR}/web/style.css --bundle --minify --log-level=warning --outfile=${folder}/style.css
    DEPENDS ${web_sources}
    COMMENT "Bundling the page's script and style")
  # What .incbin takes in is invisible to the compiler's list of dependencies, and it must not be compiled together with others for that.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON OBJECT_DEPENDS "${folder}/main.js;${folder}/style.css"
                              COMPILE_DEFINITIONS "ORRERY_WEB_FOLDER=\"${folder}\"")
endfunction()
