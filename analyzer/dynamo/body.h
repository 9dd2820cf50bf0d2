// What is known about a compiled function's body: what it reads, which sizes it compares, and where
// it breaks. Function names are never evidence.

#ifndef SHAPEWISE_DYNAMO_BODY_H_
#define SHAPEWISE_DYNAMO_BODY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace shapewise {

/// How much is known about the questions that a body asks of sizes and values.
enum class BodyKnowledge : uint8_t {
  kUnknown,  ///< nothing: an entry is only known to serve the exact inputs it was compiled for
  /// It asks only truth values of sizes, which ones is unknown. Every tensor is read and each
  /// compile gives one graph. How it uses other values is unknown.
  kSizeQuestions,
  kEqualities,  ///< it compares sizes with one another for equality, which ones is unknown
  kNoQuestion,  ///< it asks nothing: every input is read, and no size is compared
  kObserved,    ///< from traced graphs: `questions`, for the answers in `explored`
};

/// How the body uses a source.
enum class SourceUse : uint8_t {
  kUnread,        ///< never read: no guard
  kTensor,        ///< a graph input
  kStaticTensor,  ///< a parameter or buffer: static, without a profile
  kProfiled,      ///< int or float: a constant until it changes, then a graph input
  kConstant,      ///< always compared by value: bool, str, None, an int used as an index
  kLength,        ///< list, tuple: its length is compared
  kKeys,          ///< dict: its keys are compared because it is iterated
  kUnknown,
};

/// A source and how the body uses it.
struct BodySource {
  std::string source;  ///< "L['x']", in order of first use in the body
  SourceUse use = SourceUse::kUnknown;
};

/// A truth value that tracing needs. Symbols are named by their source: "L['x'].size()[0]",
/// "L['x'].stride()[0]", "L['x'].storage_offset()", "L['n']".
struct BodyQuestion {
  ExprId predicate = ExprId::kNone;
  std::string file;  ///< of the user's line that asks; empty: unknown
  uint32_t line = 0;
  /// Asked by an operator to choose a layout: the same operators are traced for either answer.
  bool is_operators = false;
};

/// The value of a source as guards print it: {"L['mode']", "'sum'"}, {"len(L['xs'])", "3"},
/// {"list(dict.keys(L['d']))", "['a', 'b']"}, and for a size without a symbol {"L['x'].size()[1]",
/// "4"}.
struct BodyConstant {
  std::string source;
  std::string text;

  friend bool operator==(const BodyConstant&, const BodyConstant&) = default;
};

/// A path through a body that was traced to its end.
struct BodyPath {
  std::vector<BodyConstant> constants;  ///< used by tracing, by source
  uint32_t graphs = 1;                  ///< passed to the backend; 0: no operators
  /// The same without symbols, if that is another number: a graph that only computes sizes is empty
  /// if they are constants.
  std::optional<uint32_t> static_graphs;
  std::vector<std::string> symbols;  ///< sources that were symbols of their own
  /// Another path has symbols where this one has constant sizes; this one shows what is asked when
  /// they are constants, and nothing else.
  bool is_special = false;
};

/// A size or int that is a constant in every graph under any policy, because a loop runs over it or
/// it is used as a Python key. mark_dynamic raises for it; maybe_mark_dynamic compiles once per
/// value.
struct SpecializedSize {
  ExprId symbol = ExprId::kNone;  ///< named as in BodyQuestion
  std::string file;
  uint32_t line = 0;
};

/// A tensor or value that a resume function takes from the frame before it.
struct ResumeInput {
  std::string source;  ///< as the resume function's guards name it
  SourceUse use = SourceUse::kTensor;
  std::vector<ExprId> sizes;     ///< in terms of the first frame's sources; kNone: unknown
  std::vector<ExprId> strides;   ///< empty: contiguous
  ExprId value = ExprId::kNone;  ///< of an int; kNone: it depends on data
  std::string same_as;   ///< the source of the first frame that it equals, with all properties
  bool is_new = false;   ///< a tensor that is no argument of the first frame
  bool differs = false;  ///< in some calls it is an argument, in others another tensor
};

/// A code object: the function, or one of its resume functions or callees that is compiled
/// separately.
struct BodyFrame {
  std::string name;
  BodyKnowledge knowledge = BodyKnowledge::kUnknown;
  std::vector<BodySource> sources;  ///< relevant sources; a source of the history that is missing
                                    ///< here is read in an unknown way, unless `reads_all`
  bool reads_all = false;           ///< every source of the history is read, in order
  bool lists_all = false;           ///< sources of the history not in `sources` are not read
  std::vector<BodyQuestion> questions;  ///< in the order of tracing
  /// Answers to `questions` that were traced to the end, one character each: '1' true, '0' false,
  /// '-' not asked on that path. Other answers lead to unknown code. {""}: a trace with symbolic
  /// sizes asked nothing; empty: there was no such trace.
  std::vector<std::string> explored;
  std::vector<BodyPath> paths;  ///< one for each of `explored`; empty: nothing beyond the answers
  std::vector<SpecializedSize> specialized;
  std::vector<ResumeInput> inputs;  ///< of a resume function; empty for the first frame
  std::vector<uint32_t> resumes;    ///< frames that run after this one, in order
  uint32_t graphs = 1;  ///< passed to the backend by one compile; 0: empty graph, so the frame runs
                        ///< eagerly from then on unless it has `resumes` or `keeps_entry`
  bool keeps_entry = false;         ///< a compile makes an entry even without operators
  bool goes_on = false;             ///< code after a graph break follows that is not in `resumes`
  bool is_from_inductor = false;    ///< Inductor compiled a graph of it that has symbols
  bool breaks_on_data = false;      ///< a break depends on data
  bool are_objects_alike = false;   ///< attributes that guards compare are the same in all objects
  bool changes_own_guards = false;  ///< a compile may fail its own guards at the next call
  std::string unknown_because;      ///< what is missing, for people; empty: nothing
};

/// A function's body; frames[0] is the function itself.
struct BodyFacts {
  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  std::vector<BodyFrame> frames;
};

/// A body known only by its category. "free": kNoQuestion, all sources read, one graph; "equality":
/// kEqualities; "predicate": kSizeQuestions; else kUnknown.
BodyFacts BodyOfCategory(const std::string& category);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BODY_H_
