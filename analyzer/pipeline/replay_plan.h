// Which policies to run: from a plan in a file, or from advice that was made a moment ago.

#ifndef SHAPEWISE_PIPELINE_REPLAY_PLAN_H_
#define SHAPEWISE_PIPELINE_REPLAY_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/advice.h"
#include "shapewise/result/place.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// A policy that somebody proposes.
struct ProposedPolicy {
  std::string words;              ///< as ParsePolicy reads them
  std::vector<size_t> actions{};  ///< of the advice; empty: none stands for it
  Place target{};                 ///< the function that it is for; empty: any
  bool is_plan = false;           ///< what is proposed as a whole
  bool is_required = false;       ///< an error where it does not fit the function
};

/// What to run, as somebody planned it.
struct ReplayPlan {
  std::vector<std::string> inputs;  ///< paths of what the plan was made from
  std::vector<ProposedPolicy> policies;
  size_t by_hand = 0;               ///< actions that nobody can follow from outside
  std::vector<std::string> padded;  ///< inputs that a plan of buckets pads
};

/// Whether `text` begins as a result of shapewise does: a plan, or one that is none.
bool IsSavedReport(std::string_view text);

/// A dim of an input.
struct InputDim {
  std::string name;  ///< as NameOfSource() gives it
  int64_t dim = 0;
};

/// The dim that "x:1" names; absent: it is not of this form.
std::optional<InputDim> ParseInputDim(std::string_view text);

/// What padding of an input holds.
struct InputFill {
  std::string name;  ///< as NameOfSource() gives it
  std::string fill;  ///< a finite number, as it was written
};

/// What "labels=-100" tells; absent: it is not of this form.
std::optional<InputFill> ParseInputFill(std::string_view text);

/// Reads the JSON of `shapewise advise` or `shapewise buckets` called `name`. `dims`: what buckets
/// pad together, "x:1"; empty: as the plan tells. `fills`: of what is padded; 0 where none is told.
/// Error: it is neither, or does not tell what to pad.
Expected<ReplayPlan> ReadReplayPlan(const std::string& name, std::string_view text,
                                    const std::vector<std::string>& dims,
                                    const std::vector<InputFill>& fills);

/// The same of advice itself; indices are those of its actions.
ReplayPlan PlanOfAdvice(const Advice& advice);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_PLAN_H_
