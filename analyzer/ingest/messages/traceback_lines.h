// Lines of tracebacks: exceptions of torch's compiler, and places in code, which other messages
// print, too.

#ifndef SHAPEWISE_INGEST_MESSAGES_TRACEBACK_LINES_H_
#define SHAPEWISE_INGEST_MESSAGES_TRACEBACK_LINES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ingest/messages/record.h"
#include "support/string_pool.h"

namespace shapewise {

/// An exception of any module. Views point into the text.
struct AnyException {
  std::string_view name;     ///< class without its module
  std::string_view message;  ///< rest of the line
};

/// "torch._dynamo.exc.Unsupported: message" taken apart. Views point into the text.
struct ExceptionHead : AnyException {
  RecordKind kind = RecordKind::kNone;  ///< kException or kTorchscript; kNone: not found
  size_t offset = 0;                    ///< where the name begins
};

/// Finds an exception of torch's compiler at the front of `text` (ignoring blanks), or with
/// `anywhere` also after other text if it includes its module and is not quoted, or follows a
/// colon.
ExceptionHead FindExceptionHead(std::string_view text, bool anywhere);

/// Where the Markdown code span that begins right before `at` ends: prose quotes an error in it.
/// kNotFound: none does, or it is short, as a name that is only mentioned, or prose says that the
/// error would come.
size_t CodeSpanEnd(std::string_view text, size_t at);

/// Classes that notebooks print without their module; the names are unique to torch.
std::span<const std::string_view> BareExceptionNames();

/// The class of the exception whose text is the operator that has no fake kernel.
inline constexpr std::string_view kUnsupportedOperator = "UnsupportedOperatorException";

/// Whether Dynamo reports an exception of class `name`, which tracing met, as a break: of an
/// operator without a fake kernel, or an "Observed exception" of the traced code
/// (torch/_dynamo/exc.py).
inline bool IsMetByDynamo(std::string_view name) {
  return name == kUnsupportedOperator || name.starts_with("Observed");
}

/// Parses any "some.module.SomeError: message" at the front of `text`; absent for other texts.
std::optional<AnyException> ParseAnyException(std::string_view text);

/// Where such a text begins in a line: at its front, or with its message after the colon of a label
/// ("Job failed: RuntimeError: no memory"). kNotFound: nowhere.
size_t FindAnyException(std::string_view line);

/// A place in code. Views point into the text; 0 and empty if not given.
struct CodePlace {
  std::string_view file;
  uint32_t line = 0;
  std::string_view function;
};

/// A place in code with texts of a session.
struct StoredPlace {
  StrId function{};
  StrId file{};
  uint32_t line = 0;

  /// Makes it the compiled function of an event, a compilation or guards.
  template <typename Owner>
  void SetFunctionOf(Owner& owner) const {
    owner.function = function;
    owner.file = file;
    owner.function_line = line;
  }

  friend bool operator==(const StoredPlace&, const StoredPlace&) = default;
};

/// Parses `File "train.py", line 12, in forward` (any indentation, `line N` in documents). The
/// function may be missing. Absent for other texts.
std::optional<CodePlace> ParseFrameLine(std::string_view text);

/// Reads `<FrameSummary file train.py, line 12 in forward>` anywhere in `text`.
std::optional<CodePlace> ParseFrameSummary(std::string_view text);

/// Splits "train.py:12" at its last colon followed by digits ("C:\\a.py:12" too); without such
/// digits all of `text` is the file. Text after the digits is stored in `rest`.
CodePlace SplitFileLine(std::string_view text, std::string_view* rest = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_TRACEBACK_LINES_H_
