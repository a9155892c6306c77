#include "analyzer/symbols/inflate.h"

#include <zlib.h>

#include <limits>

namespace hindsight::analyzer::symbols {
namespace {

constexpr uint64_t kMostRatio = 1032;  // of deflate: 258 bytes from two bits

}  // namespace

std::optional<std::string> Inflate(std::string_view deflated, uint32_t size) {
  if (size > kMostRatio * deflated.size() || deflated.size() > std::numeric_limits<uInt>::max()) {
    return std::nullopt;
  }
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  std::string out(size, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = size;
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (result != Z_STREAM_END || stream.avail_out != 0) return std::nullopt;
  return out;
}

}  // namespace hindsight::analyzer::symbols
