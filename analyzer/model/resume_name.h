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

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_RESUME_NAME_H_
