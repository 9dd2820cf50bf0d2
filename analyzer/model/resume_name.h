// Names that Dynamo gives to the rest of a function after a graph break.

#ifndef SHAPEWISE_MODEL_RESUME_NAME_H_
#define SHAPEWISE_MODEL_RESUME_NAME_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace shapewise {

/// A function that Dynamo made for the rest of another one after a graph break.
struct ResumeName {
  std::string_view function;  ///< the function that broke
  uint32_t line = 0;          ///< of the break; 0: not in the name
};

/// Removes "<graph break in " (2.0) or "<resume in " (2.1) from the front of `text`.
bool ConsumeOldResume(std::string_view& text);

/// Parses `torch_dynamo_resume_in_F_at_N`, `<resume in F>` (2.1) or `<graph break in F>` (2.0).
std::optional<ResumeName> ParseResumeName(std::string_view function);

/// The name of a resume function, parsed: "torch_dynamo_resume_in_forward_at_11" is the rest of
/// `forward` after its break at line 11.
struct PrintedResumeName {
  std::string_view function;  ///< the function that broke
  uint32_t line = 0;          ///< of the break; 0: not in older names
  size_t begin = 0;           ///< start of the whole name in its text
  size_t end = 0;
};

/// Finds the names of resume functions in a text, one after the other. 2.0: "<graph break in f>";
/// 2.1: "<resume in f>"; 2.2: "resume_in_f"; 2.3 and later as above, nested by repetition. Linear
/// in the text for all of its names together.
class ResumeNameScanner {
 public:
  explicit ResumeNameScanner(std::string_view text) : text_(text) {}

  /// Moves on to the next name; false at the end of the text.
  bool Next(PrintedResumeName& name);

 private:
  void FindNext();

  std::string_view text_;
  size_t from_ = 0;
  size_t next_ = 0;      // the next name of the newer spellings, once searched for
  size_t next_old_ = 0;  // the next of the older ones
  bool is_searched_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_RESUME_NAME_H_
