// Redacts inputs and results before they are shown to others.

#ifndef SHAPEWISE_REDACT_REDACT_H_
#define SHAPEWISE_REDACT_REDACT_H_

#include <string>
#include <string_view>
#include <vector>

#include "dynamo/policy_text.h"
#include "dynamo/run_function.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "model/graph_model.h"
#include "model/recorded_function.h"
#include "model/session.h"
#include "redact/redactor.h"
#include "result/bucket_report.h"
#include "result/code_finding.h"
#include "result/graph_report.h"
#include "result/replay_report.h"
#include "result/tune_report.h"

namespace shapewise {

/// Fills the empty session `redacted` with a copy of the sorted `session` with redacted texts.
void RedactSession(const Session& session, Redactor& redactor, Session& redacted);

/// Redacts graphs and the reports on them. Names of operators are kept.
void RedactGraphs(Redactor& redactor, GraphSet& graphs, std::vector<GraphReport>& reports);

/// Redacts names of columns and files in `report`. Names of `known_ladders` are kept, and so are
/// sentences, because the file names in them are already redacted.
void RedactBuckets(Redactor& redactor, const std::vector<std::string>& known_ladders,
                   BucketReport& report);

/// Redacts paths, functions and code in messages; removes the texts of fixes.
void RedactCheck(Redactor& redactor, CheckResult& result);

/// Redacts the texts of `history`: sources, strings, types. Two calls are equal afterwards if and
/// only if they were equal before.
void RedactHistory(Redactor& redactor, CallHistory& history);

/// Redacts the sources that `policy` names, and unknown options.
void RedactPolicy(Redactor& redactor, CompilePolicy& policy);

/// Redacts a function, its calls and its policy.
void RedactCalls(Redactor& redactor, RecordedFunction& function);

/// Redacts the sources in a what-if, including its text.
void RedactChange(Redactor& redactor, PolicyChange& change);

/// Redacts "train.py:step" or "package.module:Model.forward".
std::string RedactCallable(Redactor& redactor, std::string_view callable);

/// Assigns a token to each name of `function`, so that Redactor::RewriteCode can redact sentences
/// about it.
void LearnNames(Redactor& redactor, const RunFunction& function);

/// Redacts the results of a replay, except for its subject and unread inputs, before they are
/// judged. LearnNames must have been called for the function. Gaps from `first_own` on come from
/// the program that ran it, and may contain anything.
void RedactReplay(Redactor& redactor, size_t first_own, ReplayReport& report);

/// Redacts names, paths and texts of the program in the result of `tune`.
void RedactTune(Redactor& redactor, TuneReport& report);

/// Redacts a cost curve, except for its subject. Texts from another program must be redacted
/// already.
void RedactCurve(Redactor& redactor, CurveReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REDACT_REDACT_H_
