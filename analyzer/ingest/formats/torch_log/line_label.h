// Labels of unknown form before every line of a paste: a line number, a logger's name and time, a
// pod, the border of a box.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LINE_LABEL_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LINE_LABEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// The labels of one input. A label is known by its place: adjacent lines begin with it, except
/// that its numbers change, and what follows it is a line of torch's.
class LineLabels {
 public:
  /// Whether `line` may have a label that is not known; cheap.
  bool MayLearn(std::string_view line) const;

  /// Notes the label of `line`, if it has one; `before` and `after` are the lines around it.
  void Learn(std::string_view before, std::string_view line, std::string_view after);

  struct Match {
    size_t length = 0;  ///< bytes of the text that the label covers; 0: there is none
    size_t number = 0;  ///< of the label
  };
  /// The known label at the front of `text`.
  Match Find(std::string_view text) const;

 private:
  void Add(std::string_view label, std::span<const std::string> neighbours);

  std::vector<std::string> labels_;
  uint32_t num_tries_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_LINE_LABEL_H_
