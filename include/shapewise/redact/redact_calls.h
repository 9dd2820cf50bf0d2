// Rewriting of calls, and of what-ifs about them.

#ifndef SHAPEWISE_REDACT_REDACT_CALLS_H_
#define SHAPEWISE_REDACT_REDACT_CALLS_H_

#include <string>
#include <string_view>

#include "shapewise/dynamo/policy_text.h"
#include "shapewise/dynamo/run_function.h"
#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/model/recorded_function.h"
#include "shapewise/redact/redactor.h"
#include "shapewise/result/replay_report.h"
#include "shapewise/result/tune_report.h"

namespace shapewise {

/// Rewrites the texts of `history`: sources, strings, types. Calls that were equal stay equal, and
/// those that were not do not become so.
void RedactHistory(Redactor& redactor, CallHistory& history);

/// Rewrites the sources that `policy` names, and options that nobody knows.
void RedactPolicy(Redactor& redactor, CompilePolicy& policy);

/// Rewrites a function, its calls and its policy.
void RedactCalls(Redactor& redactor, RecordedFunction& function);

/// Rewrites the sources that a what-if names, in its text as well.
void RedactChange(Redactor& redactor, PolicyChange& change);

/// Rewrites "train.py:step" or "package.module:Model.forward".
std::string RedactCallable(Redactor& redactor, std::string_view callable);

/// Gives a token to each name of `function`: sentences about it can then be rewritten by
/// Redactor::RewriteCode.
void LearnNames(Redactor& redactor, const RunFunction& function);

/// Rewrites what came of a replay, but for its subject and what was not read, before it is judged.
/// LearnNames was told of the function. The gaps from `first_told` on are those of the program that
/// ran it, and may say anything.
void RedactReplay(Redactor& redactor, size_t first_told, ReplayReport& report);

/// Rewrites names, paths and texts of the program in the answer of a tune.
void RedactTune(Redactor& redactor, TuneReport& report);

/// Rewrites what sizes cost, but for its subject. Whatever another program told in `report` was
/// rewritten before.
void RedactCurve(Redactor& redactor, CurveReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_REDACT_CALLS_H_
