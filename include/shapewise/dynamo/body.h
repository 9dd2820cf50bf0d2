// What is known of a compiled function's body: what it reads, what it asks of sizes, where it
// breaks. Names of functions are never a source of this.

#ifndef SHAPEWISE_DYNAMO_BODY_H_
#define SHAPEWISE_DYNAMO_BODY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// How far the questions that a body asks of sizes and values are known.
enum class BodyKnowledge : uint8_t {
  kUnknown,     ///< nothing: an entry is only known to serve the very inputs it was compiled for
  /// It asks truth values of sizes, which ones is not known, and nothing else: every tensor is read,
  /// one graph comes of a compile. What it does with other values is not known.
  kSizeQuestions,
  kEqualities,  ///< it compares sizes with one another for equality, which ones is not known
  kNoQuestion,  ///< it asks nothing: every input is read, no size is compared
  kObserved,    ///< from traced graphs: `questions`, as far as `explored` reaches
};

/// What the body does with what one source holds.
enum class SourceUse : uint8_t {
  kUnread,        ///< never read: no guard
  kTensor,        ///< a tensor input of the graph
  kStaticTensor,  ///< a parameter or buffer: static, no profile
  kProfiled,      ///< int or float: a constant until it varies, then an input of the graph
  kConstant,  ///< compared by value whatever it did before: bool, str, None, an int that indexes
  kLength,    ///< list, tuple: its length is compared
  kKeys,      ///< dict: its keys are compared, since it is iterated
  kUnknown,
};

/// One source and what the body does with it.
struct BodySource {
  std::string source;  ///< "L['x']", in order of first use in the body
  SourceUse use = SourceUse::kUnknown;
};

/// One truth value that tracing asks for, with symbols named by where their value comes from:
/// "L['x'].size()[0]", "L['x'].stride()[0]", "L['x'].storage_offset()", "L['n']".
struct BodyQuestion {
  ExprId predicate = ExprId::kNone;
  std::string file;  ///< of the user's line that asks; empty: not told
  uint32_t line = 0;
  /// An operator asks, to lay its result out: whatever the answer, the same operators are traced.
  bool is_operators = false;
};

/// What a source held, as guards print it: {"L['mode']", "'sum'"}, {"len(L['xs'])", "3"},
/// {"list(dict.keys(L['d']))", "['a', 'b']"}, and of a size that was no symbol
/// {"L['x'].size()[1]", "4"}.
struct BodyConstant {
  std::string source;
  std::string text;

  friend bool operator==(const BodyConstant&, const BodyConstant&) = default;
};

/// One way through a body that was traced to its end.
struct BodyPath {
  std::vector<BodyConstant> constants;  ///< that tracing took into account, by source
  uint32_t graphs = 1;                  ///< handed to the backend; 0: it holds no operators
};

/// A size or int that becomes a constant of every graph, whatever policy asks: a loop runs over
/// it, it is used as a Python key. A hard mark on it raises, a soft one compiles once per value.
struct SpecializedSize {
  ExprId symbol = ExprId::kNone;  ///< named as in BodyQuestion
  std::string file;
  uint32_t line = 0;
};

/// A tensor or value that a resume function takes over from the frame before it.
struct ResumeInput {
  std::string source;  ///< as the resume function's guards name it
  SourceUse use = SourceUse::kTensor;
  std::vector<ExprId> sizes;     ///< in terms of the first frame's sources; kNone: not known
  std::vector<ExprId> strides;   ///< empty: contiguous
  ExprId value = ExprId::kNone;  ///< of an int; kNone: it depends on data
  std::string same_as;           ///< a source of the first frame that it is, properties and all
};

/// One code object: the function, or a resume function or callee of it that is compiled alone.
struct BodyFrame {
  std::string name;
  BodyKnowledge knowledge = BodyKnowledge::kUnknown;
  std::vector<BodySource> sources;      ///< that matter; a source of the history not in here is
                                        ///< read in an unknown way, unless `reads_all`
  bool reads_all = false;               ///< every source of the history is read, in its order
  bool lists_all = false;               ///< sources of the history not in `sources` are not read
  std::vector<BodyQuestion> questions;  ///< in the order in which tracing asks
  /// Answers to `questions` (one character each: '1' true, '0' false, '-' not asked on that path)
  /// that were seen traced to the end. Other answers lead where nothing is known. {""}: a trace in
  /// which sizes were symbols asked nothing; empty: there was no such trace.
  std::vector<std::string> explored;
  std::vector<BodyPath> paths;  ///< one for each of `explored`; empty: nothing beyond the answers
  std::vector<SpecializedSize> specialized;
  std::vector<ResumeInput> inputs;  ///< of a resume function; empty for the first frame
  std::vector<uint32_t> resumes;    ///< frames that run after this one's graph, in order
  uint32_t graphs = 1;  ///< handed to the backend by one compile; 0: empty graph, which makes the
                        ///< frame run eager for good unless it has `resumes`
  bool breaks_on_data = false;      ///< a break is there for values that depend on data
  bool changes_own_guards = false;  ///< a compile may fail its own guards at the next call
  std::string unknown_because;      ///< what is missing, for people; empty: nothing
};

/// A function's body. frames[0] is the function itself.
struct BodyFacts {
  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  std::vector<BodyFrame> frames;
};

/// A body of which only its category is told (oracle/README: "free", "equality", others).
/// "free": kNoQuestion, all sources read, one graph; "equality": kEqualities; "predicate":
/// kSizeQuestions; else kUnknown.
BodyFacts BodyOfCategory(const std::string& category);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BODY_H_
