// Compiled code that stopped running while the steps continued.

#ifndef SHAPEWISE_CAUSES_ENDED_REGIONS_H_
#define SHAPEWISE_CAUSES_ENDED_REGIONS_H_

#include <vector>

#include "causes/cause.h"

namespace shapewise {

/// One cause of kind kIgnoredMode, of type kEndedRegions, for each process whose profile has
/// compiled regions in the first steps and none in the later ones: at least five steps on either
/// side, and no compilation in the later ones. It gives no reason, because the profile does not
/// show one: a dispatch mode, a limit after which the functions run eagerly, and another phase of
/// the program look alike. Facts: "since" (the last step with compiled code) and "steps" (how many
/// followed it).
std::vector<Cause> FoldEndedRegions(const Session& session);

inline constexpr std::string_view kEndedRegions = "compiled regions ended";

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_ENDED_REGIONS_H_
