#include "analyzer/symbols/metadata.h"

namespace hindsight::analyzer::symbols {
namespace {

constexpr uint32_t kSignature = 0x424a5342;  // "BSJB"
constexpr uint16_t kMostStreams = 16;
constexpr size_t kModuleTable = 0;

bool ReadTables(std::string_view stream, Metadata& out) {
  ByteReader reader(stream);
  reader.Skip(4);
  reader.Skip(2);  // version
  const uint8_t heaps = reader.U8();
  reader.Skip(1);
  const uint64_t valid = reader.U64();
  reader.Skip(8);  // bits of sorted tables
  if (!ReadRowCounts(reader, valid, out.rows)) return false;
  if ((heaps & 0x40) != 0) reader.Skip(4);  // extra data of Edit and Continue
  out.widths = {(heaps & 1) != 0, (heaps & 2) != 0, (heaps & 4) != 0};
  out.tables = reader.Take(reader.left());
  return reader.ok();
}

}  // namespace

bool ReadRowCounts(ByteReader& reader, uint64_t valid, RowCounts& rows) {
  for (size_t table = 0; table < kTableCount; ++table) {
    if ((valid >> table & 1) == 0) continue;
    rows[table] = reader.U32();
    if (rows[table] > kMaxTableRows) return false;
  }
  return reader.ok();
}

std::optional<Metadata> Metadata::Parse(std::string_view bytes) {
  ByteReader reader(bytes);
  if (reader.U32() != kSignature) return std::nullopt;
  reader.Skip(8);
  reader.Skip(reader.U32());  // the version's text, padded
  reader.Skip(2);
  const uint16_t streams = reader.U16();
  if (!reader.ok() || streams > kMostStreams) return std::nullopt;
  Metadata out;
  std::string_view tables;
  for (uint16_t i = 0; i < streams; ++i) {
    const uint32_t offset = reader.U32();
    const uint32_t size = reader.U32();
    const std::string_view name = reader.Text();
    reader.Skip((4 - (name.size() + 1) % 4) % 4);
    const std::string_view stream = Slice(bytes, offset, size);
    if (!reader.ok() || stream.size() != size) return std::nullopt;
    if (name == "#~") tables = stream;
    if (name == "#Strings") out.strings = stream;
    if (name == "#GUID") out.guids = stream;
    if (name == "#Blob") out.blobs = stream;
    if (name == "#Pdb") out.pdb = stream;
  }
  if (!ReadTables(tables, out)) return std::nullopt;
  return out;
}

std::string_view Metadata::Guid(uint32_t index) const {
  return index == 0 ? std::string_view() : Slice(guids, (uint64_t{index} - 1) * 16, 16);
}

std::string_view Metadata::Blob(uint32_t offset) const {
  if (offset >= blobs.size()) return {};
  ByteReader reader(blobs.substr(offset));
  return reader.Take(reader.Compressed());
}

std::string_view Mvid(const Metadata& metadata) {
  if (metadata.rows[kModuleTable] == 0) return {};
  ByteReader row(metadata.tables);  // Module is the first table
  row.Skip(2);
  row.Skip(metadata.widths.wide_strings ? 4 : 2);
  return metadata.Guid(metadata.widths.wide_guids ? row.U32() : row.U16());
}

}  // namespace hindsight::analyzer::symbols
