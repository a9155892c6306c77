#include "tests/support/pdb_builder.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>

namespace hindsight {
namespace {

constexpr std::string_view kSourceLinkKind(
    "\x56\x05\x11\xcc\x91\xa0\x38\x4d\x9f\xec\x25\xab\x9a\x35\x1a\x6a", 16);
constexpr unsigned kModule = 0x00, kMethodDef = 0x06, kDocument = 0x30, kStateMachineMethod = 0x36,
                   kMethodDebugInformation = 0x31, kCustomDebugInformation = 0x37;

std::string U(uint64_t value, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value);
  return out;
}

std::string Compressed(uint32_t value) {
  if (value < 0x80) return U(value, 1);
  if (value < 0x4000) return U(0x80 | value >> 8, 1) + U(value, 1);
  return U(0xc0 | value >> 24, 1) + U(value >> 16, 1) + U(value >> 8, 1) + U(value, 1);
}

std::string CompressedSigned(int32_t value) {
  const auto fold = [value](unsigned bits) {
    return (static_cast<uint32_t>(value) << 1 & ((1u << bits) - 1)) | (value < 0 ? 1u : 0u);
  };
  if (value >= -64 && value < 64) return U(fold(7), 1);
  if (value >= -8192 && value < 8192) {
    const uint32_t folded = fold(14);
    return U(0x80 | folded >> 8, 1) + U(folded, 1);
  }
  const uint32_t folded = fold(29);
  return U(0xc0 | folded >> 24, 1) + U(folded >> 16, 1) + U(folded >> 8, 1) + U(folded, 1);
}

std::string Padded(std::string bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

// Metadata of named streams.
std::string Root(const std::vector<std::pair<std::string, std::string>>& streams) {
  std::string head = U(0x424a5342, 4) + U(1, 2) + U(1, 2) + U(0, 4) + U(12, 4) +
                     Padded(std::string("PDB v1.0\0", 9)) + U(0, 2) + U(streams.size(), 2);
  size_t at = head.size();
  for (const auto& [name, content] : streams) at += 8 + Padded(name + '\0').size();
  std::string bodies;
  for (const auto& [name, content] : streams) {
    const std::string padded = Padded(content);
    head += U(at + bodies.size(), 4) + U(padded.size(), 4) + Padded(name + '\0');
    bodies += padded;
  }
  return head + bodies;
}

// "#~" with narrow heaps: the tables' row counts and rows.
std::string Tables(const std::map<unsigned, std::pair<size_t, std::string>>& tables) {
  uint64_t valid = 0;
  std::string counts, rows;
  for (const auto& [table, content] : tables) {
    if (content.first == 0) continue;
    valid |= uint64_t{1} << table;
    counts += U(content.first, 4);
    rows += content.second;
  }
  return U(0, 4) + U(2, 1) + U(0, 1) + U(0, 1) + U(1, 1) + U(valid, 8) + U(0, 8) + counts + rows;
}

}  // namespace

std::string PdbId(char seed) { return std::string(16, seed) + "\x01\x02\x03\x04"; }

uint32_t PdbBuilder::Blob(std::string_view content) {
  const auto at = static_cast<uint32_t>(blobs_.size());
  blobs_ += Compressed(static_cast<uint32_t>(content.size()));
  blobs_ += content;
  assert(blobs_.size() <= 0xffff);
  return at;
}

uint32_t PdbBuilder::AddDocument(std::string_view path) {
  std::string name = "/";
  while (true) {
    const size_t slash = std::min(path.find('/'), path.size());
    name += Compressed(slash == 0 ? 0 : Blob(path.substr(0, slash)));
    if (slash == path.size()) break;
    path.remove_prefix(slash + 1);
  }
  documents_.push_back(Blob(name));
  return static_cast<uint32_t>(documents_.size());
}

uint32_t PdbBuilder::AddMethod(uint32_t document, const std::vector<Point>& points) {
  std::string blob = Compressed(0);
  uint32_t il_offset = 0, last_line = 0, current = document;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    if (point.document != 0 && point.document != current) {
      if (i == 0) {
        blob += Compressed(point.document);
      } else {
        blob += Compressed(0) + Compressed(point.document);
      }
      current = point.document;
    }
    blob += Compressed(point.il_offset - il_offset);
    il_offset = point.il_offset;
    // One line, seven columns from column 9 on; or a hidden point.
    blob += Compressed(0) + Compressed(point.line == 0 ? 0 : 7);
    if (point.line == 0) continue;
    if (last_line == 0) {
      blob += Compressed(point.line) + Compressed(9);
    } else {
      blob += CompressedSigned(static_cast<int32_t>(point.line) - static_cast<int32_t>(last_line)) +
              CompressedSigned(0);
    }
    last_line = point.line;
  }
  methods_.emplace_back(document, points.empty() ? 0 : Blob(blob));
  return 0x06000000 | static_cast<uint32_t>(methods_.size());
}

void PdbBuilder::AddStateMachine(uint32_t move_next_token, uint32_t kickoff_token) {
  state_machines_.emplace_back(move_next_token & 0xffffff, kickoff_token & 0xffffff);
}

std::string PdbBuilder::Build(std::string_view id) const {
  std::map<unsigned, uint32_t> external = external_;
  external.try_emplace(kMethodDef, static_cast<uint32_t>(methods_.size()));
  const bool wide_methods = external[kMethodDef] > 0xffff;
  const bool wide_parents = std::any_of(external.begin(), external.end(),
                                        [](const auto& row) { return row.second >= 2048; });
  std::string documents, methods, state_machines, custom;
  for (const uint32_t name : documents_) documents += U(name, 2) + U(0, 2) + U(0, 2) + U(0, 2);
  for (const auto& [document, blob] : methods_) methods += U(document, 2) + U(blob, 2);
  for (const auto& [move_next, kickoff] : state_machines_) {
    state_machines += U(move_next, wide_methods ? 4 : 2) + U(kickoff, wide_methods ? 4 : 2);
  }
  PdbBuilder heap = *this;
  if (!source_link_.empty()) {
    custom = U(1 << 5 | 7, wide_parents ? 4 : 2) + U(1, 2) + U(heap.Blob(source_link_), 2);
  }
  std::string pdb(id);
  uint64_t referenced = 0;
  std::string rows;
  for (const auto& [table, count] : external) {
    referenced |= uint64_t{1} << table;
    rows += U(count, 4);
  }
  pdb += U(0, 4) + U(referenced, 8) + rows;
  return Root({{"#Pdb", pdb},
               {"#~", Tables({{kDocument, {documents_.size(), documents}},
                              {kMethodDebugInformation, {methods_.size(), methods}},
                              {kStateMachineMethod, {state_machines_.size(), state_machines}},
                              {kCustomDebugInformation, {custom.empty() ? 0 : 1, custom}}})},
               {"#Strings", std::string(1, '\0')},
               {"#GUID", std::string(kSourceLinkKind)},
               {"#Blob", heap.blobs_}});
}

std::string BuildAssembly(const AssemblyFile& assembly) {
  constexpr uint32_t kRva = 0x2000, kOffset = 0x200, kDirectories = 16;
  const std::string metadata =
      Root({{"#~", Tables({{kModule, {1, U(0, 2) + U(0, 2) + U(1, 2) + U(0, 2) + U(0, 2)}}})},
            {"#Strings", std::string(1, '\0')},
            {"#GUID", assembly.mvid},
            {"#Blob", std::string(1, '\0')}});
  // The section: CLR header, debug directory, then the data that both refer to.
  constexpr uint32_t kClrHeader = 72, kEntry = 28;
  const uint32_t entries = assembly.embedded.empty() ? 1 : 2;
  const uint32_t metadata_at = kClrHeader + kEntry * entries;
  const std::string codeview =
      "RSDS" + assembly.pdb_id.substr(0, 16) + U(1, 4) + assembly.pdb_path + '\0';
  const auto codeview_at = static_cast<uint32_t>(metadata_at + metadata.size());
  std::string embedded;
  if (!assembly.embedded.empty()) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, assembly.embedded.size()), '\0');
    std::string content = assembly.embedded;
    stream.next_in = reinterpret_cast<Bytef*>(content.data());
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    embedded = "MPDB" + U(assembly.embedded.size(), 4) + packed;
  }
  const auto embedded_at = static_cast<uint32_t>(codeview_at + codeview.size());
  std::string section =
      U(kClrHeader, 4) + U(2, 2) + U(5, 2) + U(kRva + metadata_at, 4) + U(metadata.size(), 4);
  section.resize(kClrHeader);
  section += U(0, 4) + assembly.pdb_id.substr(16) + U(0x100, 2) + U(0x504d, 2) + U(2, 4) +
             U(codeview.size(), 4) + U(kRva + codeview_at, 4) + U(kOffset + codeview_at, 4);
  if (!embedded.empty()) {
    section += U(0, 8) + U(0x100, 2) + U(0x100, 2) + U(17, 4) + U(embedded.size(), 4) +
               U(kRva + embedded_at, 4) + U(kOffset + embedded_at, 4);
  }
  section += metadata + codeview + embedded;

  std::string file = "MZ";
  file.resize(0x3c);
  file += U(0x40, 4) + std::string("PE\0\0", 4);
  file += U(0x8664, 2) + U(1, 2) + U(0, 12) + U(112 + 8 * kDirectories, 2) + U(0x2022, 2);
  std::string optional = U(0x20b, 2);
  optional.resize(108);
  optional += U(kDirectories, 4);
  for (uint32_t i = 0; i < kDirectories; ++i) {
    const bool is_debug = i == 6, is_clr = i == 14;
    optional += U(is_debug ? kRva + kClrHeader
                  : is_clr ? kRva
                           : 0,
                  4) +
                U(is_debug ? kEntry * entries
                  : is_clr ? kClrHeader
                           : 0,
                  4);
  }
  file += optional + std::string(".text\0\0\0", 8) + U(section.size(), 4) + U(kRva, 4) +
          U(section.size(), 4) + U(kOffset, 4) + U(0, 16);
  file.resize(kOffset);
  return file + section;
}

}  // namespace hindsight
