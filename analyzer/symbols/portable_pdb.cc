#include "analyzer/symbols/portable_pdb.h"

#include <algorithm>
#include <limits>

#include "analyzer/base/text.h"

namespace hindsight::analyzer::symbols {
namespace {

constexpr size_t kIdBytes = 20;
constexpr uint32_t kMethodDefToken = 0x06000000;
constexpr size_t kMostPathBytes = 4096;

// CC110556-A091-4D38-9FEC-25AB9A351A6A as it is stored.
constexpr std::string_view kSourceLinkKind(
    "\x56\x05\x11\xcc\x91\xa0\x38\x4d\x9f\xec\x25\xab\x9a\x35\x1a\x6a", 16);
// The coded index HasCustomDebugInformation: 5 bits select one of these tables.
constexpr uint32_t kParentTagBits = 5;
constexpr uint32_t kModuleParent = 1 << kParentTagBits | 7;  // row 1 of Module
constexpr size_t kParentTables[] = {0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00, 0x0e,
                                    0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23, 0x26, 0x27,
                                    0x28, 0x2a, 0x2c, 0x2b, 0x30, 0x32, 0x33, 0x34, 0x35};

// The blob of one method (MethodDebugInformation.SequencePoints).
std::vector<SequencePoint> Decode(std::string_view blob, uint32_t document) {
  std::vector<SequencePoint> points;
  ByteReader reader(blob);
  reader.Compressed();  // signature of the locals
  if (document == 0) document = reader.Compressed();
  uint64_t il_offset = 0;
  int64_t line = 0;
  bool is_first_line = true;
  while (reader.ok() && reader.left() > 0) {
    const uint32_t il_delta = reader.Compressed();
    if (il_delta == 0 && !points.empty()) {
      document = reader.Compressed();
      continue;
    }
    il_offset += il_delta;
    const uint32_t lines = reader.Compressed();
    const int64_t columns = lines == 0 ? int64_t{reader.Compressed()} : reader.CompressedSigned();
    const bool is_hidden = lines == 0 && columns == 0;
    if (!is_hidden) {
      line += is_first_line ? int64_t{reader.Compressed()} : reader.CompressedSigned();
      // The column: unsigned at first, like the line.
      is_first_line ? static_cast<void>(reader.Compressed())
                    : static_cast<void>(reader.CompressedSigned());
      is_first_line = false;
    }
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (!reader.ok() || il_offset > kMost || line < 0 || line > kMost) break;
    points.push_back(
        {static_cast<uint32_t>(il_offset), document, is_hidden ? 0 : static_cast<uint32_t>(line)});
  }
  return points;
}

}  // namespace

Result<std::unique_ptr<PortablePdb>> PortablePdb::Parse(std::string bytes, std::string_view name) {
  std::unique_ptr<PortablePdb> pdb(new PortablePdb(std::move(bytes)));
  if (!pdb->Read()) return Error{Printable(name) + " is damaged, or not a portable PDB"};
  return pdb;
}

bool PortablePdb::Read() {
  const auto metadata = Metadata::Parse(bytes_);
  if (!metadata) return false;
  metadata_ = *metadata;
  ByteReader reader(metadata_.pdb);
  id_ = reader.Take(kIdBytes);
  reader.Skip(4);  // entry point
  if (!ReadRowCounts(reader, reader.U64(), all_rows_) || !LayOutTables()) return false;
  ReadStateMachines();
  FindSourceLink();
  return true;
}

bool PortablePdb::LayOutTables() {
  const RowCounts& rows = metadata_.rows;
  for (size_t table = 0; table < kTableCount; ++table) {
    const bool is_ours = table >= kDocument && table < kTableEnd;
    if (!is_ours && rows[table] != 0) return false;
    if (is_ours) all_rows_[table] = rows[table];
  }
  const auto width = [](bool wide) { return size_t{wide ? 4u : 2u}; };
  const size_t blob = width(metadata_.widths.wide_blobs);
  const size_t guid = width(metadata_.widths.wide_guids);
  const size_t string = width(metadata_.widths.wide_strings);
  const auto index = [&](Table table) { return width(IsWide(table)); };
  wide_parents_ = std::any_of(std::begin(kParentTables), std::end(kParentTables), [&](size_t t) {
    return all_rows_[t] >= 1u << (16 - kParentTagBits);
  });
  const size_t sizes[] = {
      blob + guid + blob + guid,  // Document: name, hash algorithm, hash, language
      index(kDocument) + blob,    // MethodDebugInformation: document, sequence points
      index(kMethodDef) + index(kImportScope) + index(kLocalVariable) + index(kLocalConstant) + 8,
      2 + 2 + string,              // LocalVariable: attributes, slot, name
      string + blob,               // LocalConstant: name, signature
      index(kImportScope) + blob,  // ImportScope: parent, imports
      index(kMethodDef) * 2,       // StateMachineMethod: MoveNext, the method that starts it
      width(wide_parents_) + guid + blob,  // CustomDebugInformation: parent, kind, value
  };
  ByteReader reader(metadata_.tables);
  for (size_t table = kDocument; table < kTableEnd; ++table) {
    TableView& view = tables_[table - kDocument];
    view.row_size = sizes[table - kDocument];
    view.bytes = reader.Take(view.row_size * rows[table]);
  }
  return reader.ok();
}

ByteReader PortablePdb::Row(Table table, uint32_t row) const {
  const TableView& view = tables_[table - kDocument];
  if (row == 0) return ByteReader({});
  return ByteReader(Slice(view.bytes, uint64_t{row - 1} * view.row_size, view.row_size));
}

void PortablePdb::ReadStateMachines() {
  for (uint32_t row = 1; row <= metadata_.rows[kStateMachineMethod]; ++row) {
    ByteReader reader = Row(kStateMachineMethod, row);
    const uint32_t move_next = Index(reader, IsWide(kMethodDef));
    const uint32_t kickoff = Index(reader, IsWide(kMethodDef));
    move_next_.emplace(kMethodDefToken | kickoff, kMethodDefToken | move_next);
  }
}

void PortablePdb::FindSourceLink() {
  for (uint32_t row = 1; row <= metadata_.rows[kCustomDebugInformation]; ++row) {
    ByteReader reader = Row(kCustomDebugInformation, row);
    const uint32_t parent = Index(reader, wide_parents_);
    const uint32_t kind = Index(reader, metadata_.widths.wide_guids);
    const uint32_t value = Index(reader, metadata_.widths.wide_blobs);
    if (parent != kModuleParent || metadata_.Guid(kind) != kSourceLinkKind) continue;
    source_link_ = metadata_.Blob(value);
    return;
  }
}

std::vector<SequencePoint> PortablePdb::Points(uint32_t token) const {
  if ((token & 0xff000000) != kMethodDefToken) return {};
  ByteReader row = Row(kMethodDebugInformation, token & 0xffffff);
  const uint32_t document = Index(row, IsWide(kDocument));
  const uint32_t blob = Index(row, metadata_.widths.wide_blobs);
  if (!row.ok() || blob == 0) return {};
  return Decode(metadata_.Blob(blob), document);
}

std::string PortablePdb::DocumentPath(uint32_t document) const {
  ByteReader row = Row(kDocument, document);
  const std::string_view name = metadata_.Blob(Index(row, metadata_.widths.wide_blobs));
  if (name.empty()) return {};
  // A separator, then the parts of the path, each in its own blob.
  ByteReader reader(name);
  const char separator = static_cast<char>(reader.U8());
  std::string path;
  for (bool is_first = true; reader.left() > 0; is_first = false) {
    const std::string_view part = metadata_.Blob(reader.Compressed());
    if (!is_first && separator != '\0') path += separator;
    path += part;
    if (!reader.ok() || path.size() > kMostPathBytes) return {};
  }
  return path;
}

uint32_t PortablePdb::MoveNextOf(uint32_t kickoff_token) const {
  const auto found = move_next_.find(kickoff_token);
  return found == move_next_.end() ? 0 : found->second;
}

}  // namespace hindsight::analyzer::symbols
