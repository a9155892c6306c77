#include "analyzer/analyses/comparison/inlined_sites.h"

#include <set>
#include <vector>

#include "analyzer/analyses/places/inlined_places.h"

namespace hindsight::analyzer {
namespace {

// By what happens and where: the methods that the site may be inlined into.
using SiteCallers = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

template <typename Variants>
void Add(Places& places, const MethodNames& names, std::string what, MethodId site,
         const Variants& variants, SiteCallers& callers) {
  std::set<std::string>& of_site = callers[{std::move(what), names.Display(site)}];
  for (const auto& variant : variants) {
    for (const MethodId caller : InliningCallers(places, variant.path, site)) {
      of_site.insert(names.Display(caller));
    }
  }
}

SiteCallers CallersOf(const EventReports& reports) {
  Places places(reports.model);
  SiteCallers callers;
  for (const ExceptionFinding& finding : reports.exceptions.findings) {
    if (finding.is_rest || finding.place.site == 0) continue;
    const MethodNames& names = reports.exceptions.names;
    Add(places, names, names.Type(finding.type), finding.place.site, finding.variants, callers);
  }
  for (const auto* waits : {&reports.locks.locks, &reports.locks.signals}) {
    for (const WaitPlace& wait : *waits) {
      Add(places, reports.locks.names, std::string(WaitName(wait.group.kind, wait.call.kind)),
          wait.site, wait.variants, callers);
    }
  }
  return callers;
}

}  // namespace

InlinedSites::InlinedSites(const EventReports& before, const EventReports& after) {
  const SiteCallers old_callers = CallersOf(before), new_callers = CallersOf(after);
  const auto find = [](const SiteCallers& all, const SiteCallers& others, Methods& of_all,
                       Methods& of_others) {
    for (const auto& [key, callers] : all) {
      if (others.contains(key)) continue;
      for (const std::string& caller : callers) {
        const std::pair in_caller(key.first, caller);
        if (!others.contains(in_caller)) continue;
        // Inlined during the recording, it is both.
        const bool is_both = all.contains(in_caller);
        // If two methods may be inlined there, or it may be in two, that is not known.
        const auto [at, is_new] = is_both ? of_all.try_emplace(key, caller)
                                          : of_others.try_emplace(in_caller, key.second);
        if (!is_new) at->second = is_both ? key.second : caller;
      }
    }
  };
  find(old_callers, new_callers, before_, after_);
  find(new_callers, old_callers, after_, before_);
}

std::string InlinedSites::Of(Side side, const std::string& what, const std::string& site) const {
  const Methods& methods = side == Side::kBefore ? before_ : after_;
  const auto found = methods.find({what, site});
  return found == methods.end() ? site : found->second;
}

std::string InlinedSites::Of(Side side, const std::string& site) const {
  for (const auto& [key, method] : side == Side::kBefore ? before_ : after_) {
    if (key.second == site) return method;
  }
  return site;
}

}  // namespace hindsight::analyzer
