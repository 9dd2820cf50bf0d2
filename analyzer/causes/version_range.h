// The release of PyTorch that wrote a log.

#ifndef SHAPEWISE_CAUSES_VERSION_RANGE_H_
#define SHAPEWISE_CAUSES_VERSION_RANGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "model/session.h"

namespace shapewise {

/// A range of releases, each as 100 * major + minor; 0: open at that end.
struct VersionRange {
  int32_t from = 0;
  int32_t until = 0;
  std::string why;  ///< the marks that determine the ends, with their places

  bool known() const { return from != 0 || until != 0; }
};

/// The releases that the marks of `session` allow: all marks or, if they contradict each other
/// (logs of two releases, or one log quoting another), the largest consistent set, in which case
/// `why` says so. Ties go to the newest release.
VersionRange FitVersion(const Session& session);

/// Whether one of the releases in `range` satisfies `torch`, such as ">=2.2 <2.8" or ">=2.0".
bool HasReleaseOf(const VersionRange& range, std::string_view torch);

/// "2.5 to 2.6", "2.2", "2.7 or newer", "2.4 or older"; empty when not known.
std::string FormatVersionRange(const VersionRange& range);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_VERSION_RANGE_H_
