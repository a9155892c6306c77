#include "analyzer/exports/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace hindsight::analyzer {

bool WriteGzip(std::string_view bytes, const ByteSink& sink) {
  constexpr int kGzip = 15 + 16;  // the largest window; + 16: gzip's header instead of zlib's own
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return false;
  }
  std::vector<char> out(size_t{1} << 18);
  bool is_ok = true;
  int result = Z_OK;
  while (is_ok && result == Z_OK) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const size_t next = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(next);
      bytes.remove_prefix(next);
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    result = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    is_ok = sink({out.data(), out.size() - stream.avail_out});
  }
  deflateEnd(&stream);
  return is_ok && result == Z_STREAM_END;
}

}  // namespace hindsight::analyzer
