// Any bytes as a PDB, an assembly or a Source Link map: never a crash, and never an answer that is
// not in the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyzer/symbols/inflate.h"
#include "analyzer/symbols/pe_image.h"
#include "analyzer/symbols/portable_pdb.h"
#include "analyzer/symbols/source_link.h"

namespace {

namespace symbols = hindsight::analyzer::symbols;

void ReadPdb(std::string bytes) {
  const size_t size = bytes.size();
  const auto pdb = symbols::PortablePdb::Parse(std::move(bytes), "pdb");
  if (!pdb) return;
  const symbols::SourceLink link((*pdb)->source_link());
  for (uint32_t row = 0; row < 64; ++row) {
    const uint32_t token = 0x06000000 | row;
    // Each point takes three bytes at least.
    const std::vector<symbols::SequencePoint> points = (*pdb)->Points(token);
    if (points.size() > size / 3) std::abort();
    for (size_t i = 1; i < points.size(); ++i) {
      if (points[i].il_offset < points[i - 1].il_offset) std::abort();
    }
    (*pdb)->MoveNextOf(token);
    link.Url((*pdb)->DocumentPath(row));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadPdb(std::string(bytes));
  if (const auto image = symbols::ParsePeImage(bytes, "image")) {
    auto embedded = symbols::Inflate(image->embedded, image->embedded_size);
    if (embedded) ReadPdb(std::move(*embedded));
  }
  const std::string url = symbols::SourceLink(bytes).Url("/src/Shop.cs");
  if (!url.empty() && !url.starts_with("http")) std::abort();
  return 0;
}
