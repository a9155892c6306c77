# What the packages are, made of the install rules: `./package` drives it.
#
# HINDSIGHT_NOTICES: a folder with what the packages say of their parts (THIRD-PARTY.txt and the SBOM),
# made by ./package. A LICENSE at the root goes along once there is one.
set(HINDSIGHT_NOTICES "" CACHE PATH "What packages say of their parts; made by ./package")
set(HINDSIGHT_MAINTAINER "The Hindsight authors <hindsight@example.invalid>" CACHE STRING
    "Whom the packages name")

# Windows: everything beside each other, in a ZIP that ./package makes.
if(WIN32)
  set(documents .)
  install(FILES docs/windows.md DESTINATION docs)
else()
  set(documents share/doc/hindsight)
endif()
install(FILES README.md DESTINATION ${documents})
if(EXISTS ${PROJECT_SOURCE_DIR}/LICENSE)
  install(FILES LICENSE DESTINATION ${documents})
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
endif()
if(HINDSIGHT_NOTICES)
  install(DIRECTORY ${HINDSIGHT_NOTICES}/ DESTINATION ${documents})
endif()

if(WIN32)
  return()
endif()

if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(architecture x64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
  set(CPACK_RPM_PACKAGE_ARCHITECTURE x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(architecture arm64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  set(CPACK_RPM_PACKAGE_ARCHITECTURE aarch64)
else()
  set(architecture ${CMAKE_SYSTEM_PROCESSOR})
endif()
set(CPACK_PACKAGE_NAME hindsight)
set(CPACK_PACKAGE_VENDOR Hindsight)
set(CPACK_PACKAGE_CONTACT "${HINDSIGHT_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "flight recorder for .NET")
set(CPACK_PACKAGE_DESCRIPTION
"A native profiler inside the process writes what happens to disk, within fixed bounds: CPU time,
allocations, pauses, exceptions, locks, requests, heap snapshots. Afterwards, without the process and
without .NET, `hindsight` says what was wrong. The programs are static; the library runs on glibc from
2.17 and on musl.")
set(CPACK_PACKAGE_FILE_NAME hindsight-${PROJECT_VERSION}-linux-${architecture})
set(CPACK_GENERATOR DEB RPM)  # the TGZ is tar's, which sorts
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/file_times.cmake")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# No dependency: the library is loaded by processes that have a libc, the programs need none.

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_LICENSE "see documentation")
set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
set(CPACK_RPM_COMPRESSION_TYPE xz)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /usr/share/man /usr/share/man/man1 /usr/share/bash-completion /usr/share/bash-completion/completions
    /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d)
# Two builds of a commit are the same bytes, whoever makes them and where; and nothing is stripped, or
# taken for a system's own, by the rules of the machine that it is made on.
set(CPACK_RPM_SPEC_MORE_DEFINE
"%define _buildhost hindsight
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _build_id_links none
%define __os_install_post %{nil}
%define debug_package %{nil}")
include(CPack)
