// How far to trust an action: what actions of its kind held on logs that were new to the rules.

#ifndef SHAPEWISE_RULES_CONFIDENCE_H_
#define SHAPEWISE_RULES_CONFIDENCE_H_

namespace shapewise {

/// The confidence to print for an action whose rule states `stated` (0..1), which says what the log
/// shows and not how often that suffices: the share of such first actions that an engineer accepted
/// on logs judged before any rule was written with them. The table in the source has the counts.
double ConfidenceOnNewLogs(double stated);

/// The same for every action of a finding after its first one, whatever its rule states.
double ConfidenceOfLaterActions();

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CONFIDENCE_H_
