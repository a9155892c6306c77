#include "analyzer/analyses/comparison/aligned_names.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace hindsight::analyzer {
namespace {

// If there are more numbered names of one method than this, they are not aligned, because that is
// quadratic.
constexpr size_t kMostNumbered = 256;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Compares two numbered names that differ only in their numbers by these.
bool IsEarlier(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Shop.Cart.Add of Shop.Cart.AddAsync, and the other way round.
std::string AsyncCounterpart(std::string_view name) {
  constexpr std::string_view kAsync = "Async";
  if (name.ends_with(kAsync)) return std::string(name.substr(0, name.size() - kAsync.size()));
  return std::string(name).append(kAsync);
}

// The share of all neighbors that both have.
double Likeness(const NamedRow& a, const NamedRow& b) {
  std::vector<std::string> left = a.neighbours, right = b.neighbours, both;
  for (auto* names : {&left, &right}) {
    for (std::string& name : *names) name = WithoutNumbers(name);
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(both));
  const size_t all = left.size() + right.size() - both.size();
  return all == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(all);
}

using Members = std::vector<uint32_t>;  // of one family, by number

class Alignment {
 public:
  Alignment(std::span<const NamedRow> before, std::span<const NamedRow> after)
      : before_(before), after_(after) {
    aligned_.before.resize(before.size());
    aligned_.after.resize(after.size());
  }

  AlignedNames Align() {
    std::unordered_map<std::string_view, uint32_t> ids;
    std::map<std::string, std::pair<Members, Members>> families;
    for (uint32_t i = 0; i < after_.size(); ++i) {
      if (IsNumbered(after_[i].name)) {
        families[WithoutNumbers(after_[i].name)].second.push_back(i);
      } else {
        ids.emplace(after_[i].name, aligned_.after[i] = NewId(after_[i].name));
      }
    }
    std::unordered_set<std::string_view> names_before;
    for (const NamedRow& row : before_) names_before.insert(row.name);
    for (uint32_t i = 0; i < before_.size(); ++i) {
      if (IsNumbered(before_[i].name)) {
        families[WithoutNumbers(before_[i].name)].first.push_back(i);
        continue;
      }
      auto known = ids.find(before_[i].name);
      if (known == ids.end()) {
        const std::string counterpart = AsyncCounterpart(before_[i].name);
        if (!names_before.contains(counterpart)) known = ids.find(counterpart);
      }
      aligned_.before[i] = known != ids.end() ? known->second : NewId(before_[i].name);
    }
    for (auto& [name, members] : families) AlignFamily(members.first, members.second);
    return std::move(aligned_);
  }

 private:
  uint32_t NewId(const std::string& name) {
    aligned_.names.push_back(name);
    return static_cast<uint32_t>(aligned_.names.size() - 1);
  }

  // What is around them says most. Without that, as many as possible are paired, rather with equal
  // numbers than with others.
  double Score(uint32_t before, uint32_t after) const {
    constexpr double kAlike = 4, kSameNumber = 0.5, kAny = 0.25;
    const bool is_same = before_[before].name == after_[after].name;
    return kAny + kAlike * Likeness(before_[before], after_[after]) + (is_same ? kSameNumber : 0);
  }

  // Selects the pairs, in order, that are most similar.
  void AlignFamily(Members& before, Members& after) {
    const auto by_number = [](std::span<const NamedRow> rows) {
      return [rows](uint32_t a, uint32_t b) { return IsEarlier(rows[a].name, rows[b].name); };
    };
    std::sort(before.begin(), before.end(), by_number(before_));
    std::sort(after.begin(), after.end(), by_number(after_));
    for (const uint32_t i : after) aligned_.after[i] = NewId(after_[i].name);
    if (before.size() > kMostNumbered || after.size() > kMostNumbered ||
        AreOfOneBuild(before, after)) {
      AlignAsTheyStand(before, after);
      return;
    }
    const size_t width = after.size() + 1;
    std::vector<double> pair(before.size() * after.size());
    std::vector<double> best((before.size() + 1) * width);
    for (size_t i = before.size(); i-- > 0;) {
      for (size_t k = after.size(); k-- > 0;) {
        const double score = pair[i * after.size() + k] = Score(before[i], after[k]);
        best[i * width + k] = std::max({best[(i + 1) * width + k], best[i * width + k + 1],
                                        best[(i + 1) * width + k + 1] + score});
      }
    }
    size_t i = 0, k = 0;
    while (i < before.size()) {
      const bool is_pair =
          k < after.size() &&
          best[i * width + k] == best[(i + 1) * width + k + 1] + pair[i * after.size() + k];
      if (is_pair) {
        aligned_.before[before[i++]] = aligned_.after[after[k++]];
      } else if (k < after.size() && best[i * width + k] == best[i * width + k + 1]) {
        ++k;
      } else {
        aligned_.before[before[i]] = NewId(before_[before[i]].name);
        ++i;
      }
    }
  }

  bool AreOfOneBuild(const Members& before, const Members& after) const {
    if (before.empty() || after.empty()) return false;
    const std::string& build = after_[after.front()].build;
    const auto is_of_it = [&build](std::span<const NamedRow> rows) {
      return [rows, &build](uint32_t i) { return rows[i].build == build; };
    };
    return !build.empty() && std::all_of(before.begin(), before.end(), is_of_it(before_)) &&
           std::all_of(after.begin(), after.end(), is_of_it(after_));
  }

  void AlignAsTheyStand(const Members& before, const Members& after) {
    std::unordered_map<std::string_view, uint32_t> ids;
    for (const uint32_t i : after) ids.emplace(after_[i].name, aligned_.after[i]);
    for (const uint32_t i : before) {
      const auto known = ids.find(before_[i].name);
      aligned_.before[i] = known != ids.end() ? known->second : NewId(before_[i].name);
    }
  }

  std::span<const NamedRow> before_, after_;
  AlignedNames aligned_;
};

}  // namespace

bool IsNumbered(std::string_view name) {
  for (size_t at = name.find('#'); at != std::string_view::npos; at = name.find('#', at + 1)) {
    if (at + 1 < name.size() && IsDigit(name[at + 1])) return true;
  }
  return false;
}

const std::string& BuildOf(const Dictionaries& dictionaries, MethodId method) {
  const Method& of = dictionaries.method(method);
  const ModuleId module = of.module != 0 ? of.module : dictionaries.type(of.type).module;
  return dictionaries.module(module).mvid;
}

std::string WithoutNumbers(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    out += name[i];
    if (name[i] != '#') continue;
    while (i + 1 < name.size() && IsDigit(name[i + 1])) ++i;
  }
  return out;
}

AlignedNames AlignNames(std::span<const NamedRow> before, std::span<const NamedRow> after) {
  return Alignment(before, after).Align();
}

}  // namespace hindsight::analyzer
