// The rows of the table of messages: one for each kind of message.

#ifndef SHAPEWISE_INGEST_MESSAGES_MESSAGE_ROWS_H_
#define SHAPEWISE_INGEST_MESSAGES_MESSAGE_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/messages/parsers.h"
#include "ingest/messages/record.h"
#include "ingest/messages/wording.h"

namespace shapewise {

/// Which lines with the whole prefix of a message's first line continue it, unless they begin the
/// next one of its kind.
enum class Repeated : uint8_t {
  kNever,  ///< none: the message has one line
  kAll,    ///< all
  kListed  ///< those that also would without a prefix
};

/// Classes of lines that continue a message.
enum LineClass : uint32_t {
  kBlankLines = 1 << 0,
  kFrameLines = 1 << 1,      ///< `File "x.py", line 3, in f` and the code below
  kDeeperLines = 1 << 2,     ///< indented further than the first line
  kBreakLines = 1 << 3,      ///< texts_of_breaks
  kBreakTypeLines = 1 << 4,  ///< the type of a break, alone on its line
  kRaisedLines = 1 << 5,     ///< an exception after a traceback, indented like the first line; the
                             ///< lines after "backend='inductor' raised:"
  kAllLines = 1 << 6,
};

using LineTest = bool (*)(const Record& record, std::string_view text);

/// A kind of message by its name in tables/messages.json, with the functions that it needs.
struct MessageCode {
  std::string_view name;
  MessageParser parse = nullptr;
  LineTest takes = nullptr;    ///< accepts further lines that continue it
  LineTest refuses = nullptr;  ///< rejects lines in any case
};

/// One kind of message with what the table says of it.
struct MessageRow : MessageCode {
  RecordKind kind{};
  Wordings anywhere;      ///< begin it, also after other text unless they are quoted there
  Wordings front;         ///< begin it at the front of a line's text
  Wordings dynamo;        ///< the same, only after a prefix of Dynamo's
  Wordings parts;         ///< later lines, which begin a message whose first line is missing; after
                          ///< a prefix, only after one of Dynamo's or with an id
  std::string_view from;  ///< an artifact, "__graph_breaks", or part of an emitter:
  Wordings parts_from;    ///< parts that are only accepted from there
  Repeated repeated = Repeated::kNever;
  uint32_t classes = 0;      ///< LineClass: lines without a prefix that continue it
  Wordings lines;            ///< further lines that continue it
  Wordings ends;             ///< the message ends after a line that begins like this
  bool has_break = false;    ///< it has the text of a graph break
  bool is_one_line = false;  ///< it has one line, unless that begins with one of `more`
  Wordings more;
  std::vector<RecordKind> inside;  ///< kinds whose first words may also begin an inner line
};

/// All rows, by kind.
const std::vector<MessageRow>& MessageRows();

/// How an exception is printed whose text shows that the compiler raised it.
enum class ErrorForm : uint8_t {
  kAfterClass,  ///< after its class, one of Python's own; alone, it may be another program's
  kEither,      ///< also alone, where a program formats it
  kAlone,       ///< alone: its class is recognized by itself
  kHead,        ///< the same; it begins another exception even below the first line of one
};

/// An exception that only the compiler raises.
struct CompilerError {
  std::string_view type;  ///< its class; empty: any
  std::string_view text;  ///< its first words, a wording
  ErrorForm form = ErrorForm::kAfterClass;
};

/// The wordings with which these exceptions begin.
const std::vector<std::string>& CompilerErrorWordings();

/// The one whose text, without a class in front, `text` begins with; null: none.
const CompilerError* FindCompilerError(std::string_view text);

/// Begins the message of Inductor's CppCompileError; the command and its output follow.
inline constexpr std::string_view kCppError = "C++ compile error";

/// What the evaluation of guards prints before the guards and the exception of one of them:
/// guard_error_hook in torch/_dynamo/guards.py.
inline constexpr std::string_view kGuardsError = "ERROR RUNNING GUARDS ";

/// The record of a guard that could not be made.
inline constexpr std::string_view kFailedGuard = "Error while creating guard:";

/// That of CUDA's assembler, whose output follows.
inline constexpr std::string_view kAssemblerError = "PTXAS error";

/// Inductor's error when no configuration of a Triton kernel could run; the last exception follows.
inline constexpr std::string_view kNoTritonConfig = "No valid triton configs.";

/// Whether `text` ends with the place of an error in Triton's code, "at 7:11:", whose lines up to
/// there follow, then a line "^", then the error (triton/compiler/errors.py).
bool EndsWithTritonsPlace(std::string_view text);

/// Whether `line` is the first in the output of a C++ compiler or linker that names an error.
bool NamesCompilersError(std::string_view line);

/// Whether `line` is the command of a C++ compiler that Inductor calls, or such an error in one of
/// Inductor's files.
bool IsOfCppCompiler(std::string_view line);

/// Whole reasons of a recompile that people paste without its head.
inline constexpr std::string_view kBareReasons =
    "tensor '%*' size mismatch at index %n. expected %n, actual %n|"
    "tensor '%*' stride mismatch at index %n. expected %n, actual %n|"
    "tensor '%*' rank mismatch. expected %n, actual %n";

/// Reasons of a limit without their label.
inline constexpr std::string_view kUnlabelledReasons =
    "tensor '|%n/%n: tensor '|%n/%n: L[|%n/%n: %* == |- tensor '|- %n/%n: ";

/// Whether a line is such a reason, or a whole guard, "cache.is_empty == False".
bool IsUnlabelledReason(std::string_view line);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_MESSAGE_ROWS_H_
