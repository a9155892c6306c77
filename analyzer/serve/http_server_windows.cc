#include "analyzer/serve/http_server.h"

namespace hindsight::analyzer {

Result<std::unique_ptr<HttpServer>> HttpServer::Open(uint16_t) {
  return Error{
      "`hindsight serve` does not run on Windows so far. `hindsight report REC -o FILE.html` makes "
      "a page of a recording."};
}

HttpServer::~HttpServer() = default;

int HttpServer::StopDescriptor() { return -1; }

bool HttpServer::Run(const Handler&, int) { return true; }

}  // namespace hindsight::analyzer
