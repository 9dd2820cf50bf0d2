// Compiled code that ceased to run while the steps went on.

#ifndef SHAPEWISE_CAUSES_ENDED_REGIONS_H_
#define SHAPEWISE_CAUSES_ENDED_REGIONS_H_

#include <vector>

#include "shapewise/causes/cause.h"

namespace shapewise {

/// One cause of kind kIgnoredMode, of type kEndedRegions, for each process of whose profile the
/// first steps ran compiled regions and the later ones none: five steps at least on either side,
/// and no compilation in the later ones. It names no reason, for a profile holds none: a dispatch
/// mode, a limit that left the functions eager, or another phase of the program look alike. Facts:
/// "since" (the last step with compiled code) and "steps" (how many came after it).
std::vector<Cause> FoldEndedRegions(const Session& session);

inline constexpr std::string_view kEndedRegions = "compiled regions ended";

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_ENDED_REGIONS_H_
