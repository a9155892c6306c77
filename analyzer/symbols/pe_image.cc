#include "analyzer/symbols/pe_image.h"

#include <algorithm>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/symbols/byte_reader.h"
#include "analyzer/symbols/metadata.h"

namespace hindsight::analyzer::symbols {
namespace {

constexpr uint32_t kPeSignature = 0x00004550;  // "PE\0\0"
constexpr uint32_t kDebugDirectory = 6;
constexpr uint32_t kClrDirectory = 14;
constexpr uint16_t kMostSections = 96;  // the most that Windows loads
constexpr size_t kMostDebugEntries = 64;
constexpr size_t kDebugEntryBytes = 28;

// IMAGE_DEBUG_TYPE of the entries that are read here.
constexpr uint32_t kCodeView = 2;
constexpr uint32_t kEmbeddedPortablePdb = 17;
constexpr uint16_t kPortableVersion = 0x504d;        // minor version of a CodeView entry: "PM"
constexpr uint32_t kCodeViewSignature = 0x53445352;  // "RSDS"
constexpr uint32_t kEmbeddedSignature = 0x4244504d;  // "MPDB"

struct Section {
  uint32_t rva = 0;
  uint32_t offset = 0;
  uint32_t size = 0;  // in the file
};

struct Directory {
  uint32_t rva = 0;
  uint32_t size = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view file) : file_(file) {}

  bool ReadHeaders();
  void ReadDebugDirectory(PeImage& out) const;
  void ReadMvid(PeImage& out) const;

 private:
  std::string_view AtRva(uint32_t rva, uint32_t size) const;

  std::string_view file_;
  std::vector<Section> sections_;
  Directory debug_;
  Directory clr_;
};

bool Parser::ReadHeaders() {
  if (!file_.starts_with("MZ")) return false;
  ByteReader dos(file_);
  dos.Skip(0x3c);
  const uint32_t header = dos.U32();
  if (!dos.ok() || header > file_.size()) return false;
  ByteReader pe(file_.substr(header));
  if (pe.U32() != kPeSignature) return false;
  pe.Skip(2);  // machine
  const uint16_t sections = pe.U16();
  pe.Skip(12);
  const uint16_t optional_size = pe.U16();
  pe.Skip(2);
  ByteReader optional(pe.Take(optional_size));
  const bool is_64 = optional.U16() == 0x20b;
  optional.Skip((is_64 ? 108 : 92) - 2);
  const uint32_t directories = optional.U32();
  for (uint32_t i = 0; i < std::min(directories, kClrDirectory + 1); ++i) {
    const Directory directory{optional.U32(), optional.U32()};
    if (i == kDebugDirectory) debug_ = directory;
    if (i == kClrDirectory) clr_ = directory;
  }
  if (!pe.ok() || !optional.ok() || sections > kMostSections) return false;
  for (uint16_t i = 0; i < sections; ++i) {
    pe.Skip(12);  // name, size in memory
    Section section;
    section.rva = pe.U32();
    section.size = pe.U32();
    section.offset = pe.U32();
    pe.Skip(16);
    sections_.push_back(section);
  }
  return pe.ok();
}

std::string_view Parser::AtRva(uint32_t rva, uint32_t size) const {
  for (const Section& section : sections_) {
    if (rva < section.rva || rva - section.rva >= section.size) continue;
    if (size > section.size - (rva - section.rva)) return {};
    return Slice(file_, uint64_t{section.offset} + (rva - section.rva), size);
  }
  return {};
}

void Parser::ReadDebugDirectory(PeImage& out) const {
  const std::string_view directory = AtRva(debug_.rva, debug_.size);
  const size_t entries = std::min(directory.size() / kDebugEntryBytes, kMostDebugEntries);
  ByteReader reader(directory);
  for (size_t i = 0; i < entries; ++i) {
    reader.Skip(4);
    const std::string_view stamp = reader.Take(4);
    reader.Skip(2);
    const uint16_t minor = reader.U16();
    const uint32_t type = reader.U32();
    const uint32_t size = reader.U32();
    reader.Skip(4);
    const std::string_view data = Slice(file_, reader.U32(), size);
    ByteReader entry(data);
    const uint32_t signature = entry.U32();
    if (type == kCodeView && minor == kPortableVersion && signature == kCodeViewSignature) {
      const std::string_view guid = entry.Take(16);
      entry.Skip(4);  // age
      out.pdb_path = entry.Text();
      if (entry.ok()) out.pdb_id = std::string(guid) + std::string(stamp);
    }
    if (type == kEmbeddedPortablePdb && signature == kEmbeddedSignature) {
      out.embedded_size = entry.U32();
      out.embedded = entry.Take(entry.left());
    }
  }
}

void Parser::ReadMvid(PeImage& out) const {
  ByteReader header(AtRva(clr_.rva, clr_.size));
  header.Skip(8);  // size, version
  const uint32_t rva = header.U32();
  const uint32_t size = header.U32();
  if (!header.ok()) return;
  if (const auto metadata = Metadata::Parse(AtRva(rva, size))) out.mvid = Mvid(*metadata);
}

}  // namespace

Result<PeImage> ParsePeImage(std::string_view file, std::string_view name) {
  Parser parser(file);
  if (!parser.ReadHeaders()) return Error{Printable(name) + " is not a PE image"};
  PeImage image;
  parser.ReadDebugDirectory(image);
  parser.ReadMvid(image);
  return image;
}

}  // namespace hindsight::analyzer::symbols
