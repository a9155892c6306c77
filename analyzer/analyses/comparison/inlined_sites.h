// Sites of exceptions and waits in two recordings, if the JIT inlined a small method into its
// caller in one of them: there, the caller is the site.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

class InlinedSites {
 public:
  // What happens in a method called by another one in one recording, but only in that caller in the
  // other recording, is the same. The site that they share is the method, or the caller if the
  // first recording has both.
  InlinedSites(const EventReports& before, const EventReports& after);

  enum class Side { kBefore, kAfter };
  // The name of the site of an exception of this type, or of a wait, that both recordings share.
  std::string Of(Side side, const std::string& what, const std::string& site) const;
  // For anything that happens there.
  std::string Of(Side side, const std::string& site) const;

 private:
  // By what happens and where: the method where the other recording has it.
  using Methods = std::map<std::pair<std::string, std::string>, std::string>;
  Methods before_, after_;
};

}  // namespace hindsight::analyzer
