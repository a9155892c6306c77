// Sites of exceptions and waits of two recordings, where the JIT compiler has put a small method
// into its caller in one of them: there the caller is the site.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

class InlinedSites {
 public:
  // What happens in a method in one recording, called by another one, and in the other recording
  // does not happen in that method at all, but in its caller: it is the same.
  InlinedSites(const EventReports& before, const EventReports& after);

  enum class Side { kBefore, kAfter };
  // What the site of an exception of this type, or of a wait, is called in both recordings.
  std::string Of(Side side, const std::string& what, const std::string& site) const;
  // Of whatever happens there.
  std::string Of(Side side, const std::string& site) const;

 private:
  // By what happens and where: the method in which the other recording has it.
  using Methods = std::map<std::pair<std::string, std::string>, std::string>;
  Methods before_, after_;
};

}  // namespace hindsight::analyzer
