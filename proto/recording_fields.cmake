# Writes recording_fields.h: the numbers and types of the schema's fields, and its enums, as constants
# (field.h). protoc reads the schema and prints it; this script only converts that output.
#
#   cmake -DPROTOC=FILE -DSCHEMA=recording.proto -DOUT=recording_fields.h -P recording_fields.cmake
#
# protoc prints one line per fact:   name: "pid"   number: 1   type: TYPE_UINT32   and so on, in
# blocks. An unknown block or type ends the build.
cmake_minimum_required(VERSION 3.22)

get_filename_component(folder ${SCHEMA} DIRECTORY)
execute_process(
  COMMAND ${PROTOC} --proto_path=${folder} --descriptor_set_out=/dev/stdout ${SCHEMA}
  COMMAND ${PROTOC} --decode=google.protobuf.FileDescriptorSet google/protobuf/descriptor.proto
  OUTPUT_VARIABLE description
  COMMAND_ERROR_IS_FATAL ANY)

# time_delta_ns, RING_FULL -> kTimeDeltaNs, kRingFull
function(constant name out)
  string(TOLOWER ${name} name)
  string(REPLACE "_" ";" words ${name})
  set(result k)
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND result ${first}${rest})
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

# The type of the field just read, as field.h calls it.
macro(find_type out)
  string(REGEX REPLACE "^\\.[a-z]+\\.(.*)$" "\\1" named "${type_name}")
  string(REPLACE "." "::" named "${named}")
  if(type STREQUAL "TYPE_MESSAGE")
    set(${out} "Nested<${named}>")
  elseif(type STREQUAL "TYPE_ENUM")
    set(${out} "Enum<${named}>")
  elseif(type STREQUAL "TYPE_STRING" OR type STREQUAL "TYPE_BYTES")
    set(${out} Bytes)
  elseif(type MATCHES "^TYPE_(UINT32|UINT64|SINT32|SINT64|BOOL|FIXED32|FIXED64|DOUBLE)$")
    string(SUBSTRING ${CMAKE_MATCH_1} 0 1 first)
    string(SUBSTRING ${CMAKE_MATCH_1} 1 -1 rest)
    string(TOLOWER ${rest} rest)
    set(${out} ${first}${rest})
  else()
    message(FATAL_ERROR "${SCHEMA}: ${name_${depth}} is of ${type}, which field.h does not have")
  endif()
  if(label STREQUAL "LABEL_REPEATED")
    set(${out} "Repeated<${${out}}>")
  endif()
endmacro()

set(depth 0)
set(messages "")
set(forward "")
string(REPLACE "\n" ";" lines "${description}")
foreach(line IN LISTS lines)
  if(line MATCHES "^( *)([a-z_]+) {$")
    math(EXPR depth "${depth} + 1")
    set(indent_${depth} "${CMAKE_MATCH_1}")
    set(block_${depth} ${CMAKE_MATCH_2})
    set(types_${depth} "")   # what is declared in this block
    set(fields_${depth} "")
    if(NOT block_${depth} MATCHES
       "^(file|message_type|nested_type|enum_type|field|value|oneof_decl|reserved_range)$")
      message(FATAL_ERROR "${SCHEMA}: recording_fields.cmake does not know what ${block_${depth}} is")
    endif()
  elseif(line MATCHES "^ *([a-z0-9_]+): \"?([^\"]*)\"?$")
    if(CMAKE_MATCH_1 STREQUAL "name")
      set(name_${depth} ${CMAKE_MATCH_2})
    else()
      set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})  # number, label, type, type_name
    endif()
  elseif(line MATCHES "^ *}$")
    set(block ${block_${depth}})
    set(name "${name_${depth}}")
    string(REGEX REPLACE "^  ( *)$" "\\1" indent "${indent_${depth}}")  # a namespace indents nothing
    math(EXPR outer "${depth} - 1")
    if(block STREQUAL "field")
      find_type(field_type)
      constant(${name} constant)
      string(APPEND fields_${outer}
        "${indent}static constexpr FieldNumber<${name_${outer}}, ${field_type}, ${number}> ${constant}{};\n")
    elseif(block STREQUAL "value")
      # HOP_RETHROW of Hop -> kRethrow
      string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" prefix ${name_${outer}})
      string(TOUPPER ${prefix} prefix)
      string(REGEX REPLACE "^${prefix}_" "" name ${name})
      constant(${name} constant)
      string(APPEND fields_${outer} "${indent}${constant} = ${number},\n")
    elseif(block STREQUAL "enum_type")
      string(APPEND types_${outer}
        "${indent}enum class ${name} : uint8_t {\n${fields_${depth}}${indent}};\n")
    elseif(block STREQUAL "nested_type")
      string(APPEND types_${outer}
        "${indent}struct ${name} {\n${types_${depth}}${fields_${depth}}${indent}};\n")
    elseif(block STREQUAL "message_type")
      string(APPEND forward "struct ${name};\n")
      string(APPEND messages "struct ${name} {\n${types_${depth}}${fields_${depth}}};\n\n")
    elseif(block STREQUAL "file")
      set(enums "${types_${depth}}")
    endif()
    set(depth ${outer})
  elseif(NOT line STREQUAL "")
    message(FATAL_ERROR "${SCHEMA}: recording_fields.cmake cannot read: ${line}")
  endif()
endforeach()
if(NOT depth EQUAL 0 OR messages STREQUAL "")
  message(FATAL_ERROR "${SCHEMA}: protoc did not print it to the end")
endif()

get_filename_component(schema_name ${SCHEMA} NAME)
file(WRITE ${OUT} "// Made by the build from ${schema_name}: its messages, fields and enums (proto/field.h).
#pragma once

#include \"proto/field.h\"

namespace hindsight::wire {

${forward}
${enums}
${messages}}  // namespace hindsight::wire
")
