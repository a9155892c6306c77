#include "analyzer/analyses/requests.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyzer/analyses/loaded_assemblies.h"

namespace hindsight::analyzer {
namespace {

using Side = RequestKind::Side;

bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

// Whether a tag begins here: a name and an equals sign.
bool BeginsTag(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsOfName);
  return end != text.begin() && end != text.end() && *end == '=';
}

// Where the tag at the front ends: before a comma outside of braces that another one follows.
size_t EndOfTag(std::string_view tags) {
  int depth = 0;
  for (size_t i = 0; i < tags.size(); ++i) {
    if (tags[i] == '{') ++depth;
    if (tags[i] == '}') --depth;
    if (tags[i] == ',' && depth <= 0 && BeginsTag(tags.substr(i + 1))) return i;
  }
  return tags.size();
}

std::string Text(const RequestKind& kind, std::string_view tag) {
  return std::string(TagOf(kind.tags, tag).value_or(""));
}

std::string TargetOf(const RequestKind& kind) {
  if (kind.side == Side::kServed) {
    const std::string route = Text(kind, "http.route");
    // Routes of controllers are reported without the slash.
    return route.empty() || route.starts_with('/') ? route : "/" + route;
  }
  const std::string port = Text(kind, "server.port");
  const std::string host = Text(kind, "server.address");
  return port.empty() ? host : host + ":" + port;
}

RequestEnding EndingOf(const RequestKind& kind) {
  RequestEnding ending;
  ending.status = Text(kind, "http.response.status_code");
  ending.error = Text(kind, "error.type");
  // For requests made, the error may be just the status.
  if (ending.error == ending.status) ending.error.clear();
  const char status = ending.status.size() == 3 ? ending.status[0] : '\0';
  ending.is_failure = status == '5' || TagOf(kind.tags, "error.type").has_value();
  ending.is_refusal = status == '4' && !ending.is_failure;
  ending.count = kind.count;
  return ending;
}

// The rows of one side, to which kinds are added.
class Rows {
 public:
  void Add(const RequestKind& kind) {
    std::string method = Text(kind, "http.request.method"), target = TargetOf(kind);
    const auto [place, is_new] = index_.try_emplace({method, target}, rows_.size());
    if (is_new) {
      RequestRow row;
      row.method = std::move(method);
      row.target = std::move(target);
      rows_.push_back(std::move(row));
      durations_.emplace_back();
    }
    RequestRow& row = rows_[place->second];
    durations_[place->second].Merge(kind.durations);
    row.count += kind.count;
    row.total_ns += kind.total_ns;
    if (kind.slowest_ns > row.slowest_ns) {
      row.slowest_ns = kind.slowest_ns;
      row.slowest_at_ns = kind.slowest_at_ns;
    }
    row.counts.Merge(kind.counts);
    row.times.Merge(kind.times);
    RequestEnding ending = EndingOf(kind);
    if (ending.is_failure) row.failures.Merge(kind.counts);
    AddEnding(row, std::move(ending));
  }

  std::vector<RequestRow> Take() {
    for (size_t i = 0; i < rows_.size(); ++i) {
      RequestRow& row = rows_[i];
      row.p50_ns = durations_[i].Quantile(0.5);
      row.p95_ns = durations_[i].Quantile(0.95);
      row.p99_ns = durations_[i].Quantile(0.99);
      row.variance_ns2 = durations_[i].Variance();
      std::ranges::stable_sort(row.endings, std::greater(), [](const RequestEnding& ending) {
        return std::tuple(ending.is_failure, ending.is_refusal, ending.count);
      });
    }
    std::ranges::stable_sort(rows_, std::greater(), &RequestRow::total_ns);
    return std::move(rows_);
  }

 private:
  static void AddEnding(RequestRow& row, RequestEnding ending) {
    if (ending.is_failure) row.failed += ending.count;
    if (ending.is_refusal) row.refused += ending.count;
    const auto same = std::ranges::find_if(row.endings, [&](const RequestEnding& known) {
      return std::tie(known.status, known.error) == std::tie(ending.status, ending.error);
    });
    if (same == row.endings.end()) {
      row.endings.push_back(std::move(ending));
    } else {
      same->count += ending.count;
    }
  }

  std::vector<RequestRow> rows_;
  std::vector<Histogram> durations_;  // parallel to the rows
  std::map<std::pair<std::string, std::string>, size_t> index_;
};

}  // namespace

std::string RequestEnding::How() const {
  return status.empty() || error.empty() ? status + error : status + ", " + error;
}

std::string RequestRow::Name(std::string_view without_target) const {
  const std::string what = target.empty() ? std::string(without_target) : target;
  return method.empty() ? what : method + " " + what;
}

bool MayKeepRequestsOpen(const Dictionaries& dictionaries) {
  return HasLoaded(
      dictionaries,
      {"Microsoft.AspNetCore.WebSockets.dll", "Microsoft.AspNetCore.Http.Connections.dll",
       "Microsoft.AspNetCore.Components.Server.dll", "Grpc.AspNetCore.Server.dll"});
}

std::optional<std::string_view> TagOf(std::string_view tags, std::string_view name) {
  while (!tags.empty()) {
    const size_t end = EndOfTag(tags);
    const std::string_view tag = tags.substr(0, end);
    if (tag.size() > name.size() && tag.starts_with(name) && tag[name.size()] == '=') {
      return tag.substr(name.size() + 1);
    }
    tags.remove_prefix(std::min(tags.size(), end + 1));
  }
  return std::nullopt;
}

RequestReport AnalyzeRequests(const Model& model) {
  Rows served, made;
  for (const RequestKind& kind : model.requests.kinds) {
    (kind.side == Side::kServed ? served : made).Add(kind);
  }
  return {.model = &model,
          .served = served.Take(),
          .made = made.Take(),
          .work = AnalyzeRequestWork(model)};
}

}  // namespace hindsight::analyzer
