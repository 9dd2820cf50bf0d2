// The result of an analysis: what was found, as plain structs, and every output format of the
// program.

#ifndef SHAPEWISE_DOCUMENT_H_
#define SHAPEWISE_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise::api {

/// How serious a diagnostic or a message is, in ascending order.
enum class Severity : uint8_t { kNote, kWarning, kError };

/// "note", "warning", "error".
std::string_view SeverityName(Severity severity);

/// The exit status of the program for a result.
enum class Status : uint8_t {
  kClean = 0,     ///< nothing serious was found
  kFindings = 1,  ///< something serious was found
  kTrouble = 2,   ///< an input could not be read or recognized, or the options are wrong
};

/// A place in code. Lines and columns count from 1, columns in characters; the end is exclusive.
struct Place {
  std::string file;         ///< empty: unknown
  std::string function;     ///< empty: unknown, or outside of functions
  uint32_t line = 0;        ///< 0: unknown
  uint32_t column = 0;      ///< 0: unknown
  uint32_t end_line = 0;    ///< 0: unknown
  uint32_t end_column = 0;  ///< 0: unknown
};

/// A replacement of the bytes [begin, end) of a file by `text`.
struct Edit {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

/// A change that fixes a diagnostic.
struct Fix {
  bool is_safe = false;     ///< it preserves the meaning of the code
  std::string title;        ///< what it does
  std::vector<Edit> edits;  ///< of the file of the diagnostic; ascending, without overlap
};

/// A cause that a run or code has.
struct Diagnostic {
  std::string rule;  ///< "SWG001"
  std::string name;  ///< "int-argument"
  Severity severity = Severity::kWarning;
  std::string message;  ///< one line, no full stop
  Place place;
  std::string help;                  ///< what to do, one sentence; may be empty
  std::vector<std::string> details;  ///< more facts, a few words each
  std::vector<std::string> breaks;   ///< ids in PyTorch's registry of graph breaks
  std::optional<double> confidence;  ///< 0 to 1; absent: not a guess
  std::optional<Fix> fix;
  std::string fingerprint;  ///< the same when lines shift and in other runs
  std::string log;          ///< the log that shows it first; empty: no log was read
  uint32_t log_line = 0;
};

/// An action that `Advise` recommends.
struct Action {
  std::string kind;  ///< "mark_dynamic", "fix_break" ...
  std::string text;  ///< what to do, one sentence
  std::string code;  ///< text to paste; may be empty
  std::string trap;  ///< what can go wrong, one sentence; may be empty
  Place target;
  std::string rule;                        ///< rule of the finding that it addresses
  bool is_planned = false;                 ///< it belongs to the plan: follow these together
  std::optional<uint64_t> saved_compiles;  ///< predicted for it alone; absent: no prediction
  std::optional<double> saved_seconds;     ///< of compile time; absent: no prediction
  double confidence = 0;                   ///< 0 to 1
};

/// The sizes to pad to that `Buckets` recommends.
struct BucketPlan {
  std::string mode;                           ///< "buckets", "dynamic", "static" or "mixed"
  std::string why;                            ///< the reason for the mode
  std::vector<std::string> dims;              ///< names of the dims
  std::vector<std::vector<int64_t>> buckets;  ///< ascending; one size per dim
  double padding = 0;                         ///< padded elements divided by real ones
  double cost_overhead = 0;                   ///< cost over the cost without padding, minus 1
  std::optional<double> held_out_padding;     ///< on later calls; absent without them
  uint64_t out_of_range = 0;                  ///< calls beyond the largest bucket
};

/// What the program would print on standard error.
struct Message {
  Severity severity = Severity::kError;
  std::string text;  ///< one line, without control characters
};

/// How `Document::Render` prints. A format ignores what does not apply to it.
struct RenderOptions {
  bool color = false;    ///< text: use ANSI colors
  bool ascii = false;    ///< text: draw with ASCII characters only
  bool all = false;      ///< text: list everything, without a limit
  bool events = false;   ///< json of Lint: include every event
  uint32_t width = 100;  ///< text: width in columns
};

/// The result of one analysis. It can be moved, not copied. Const functions may be called from
/// several threads.
class Document {
 public:
  /// What an analysis computed. Defined in the library only.
  struct Content;

  explicit Document(std::unique_ptr<const Content> content);
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  /// The subcommand of the program that gives the same result: "lint".
  std::string_view command() const;
  /// Of Lint and Check: what was found, without what comments in code suppress.
  const std::vector<Diagnostic>& diagnostics() const;
  /// Of Advise: what to do, best first.
  const std::vector<Action>& actions() const;
  /// Of Buckets: the plan; null without one.
  const BucketPlan* plan() const;
  /// Notes, warnings and errors about inputs and options.
  const std::vector<Message>& messages() const;
  /// The exit status of the program, with `fail_on` as --fail-on.
  Status status(Severity fail_on = Severity::kWarning) const;

  /// The formats that Render knows, the program's default first: "text", "json" ... Empty if there
  /// is no result, as the messages say.
  const std::vector<std::string>& formats() const;
  /// The result in one of `formats`, as the program prints it; absent for another format.
  std::optional<std::string> Render(std::string_view format,
                                    const RenderOptions& options = {}) const;

 private:
  std::unique_ptr<const Content> content_;
};

}  // namespace shapewise::api

#endif  // SHAPEWISE_DOCUMENT_H_
