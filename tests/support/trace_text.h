// Writes structured traces, so that a test shows only what it is about.

#ifndef SHAPEWISE_TESTS_SUPPORT_TRACE_TEXT_H_
#define SHAPEWISE_TESTS_SUPPORT_TRACE_TEXT_H_

#include <string>
#include <string_view>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MD5.h"

namespace shapewise {

/// A trace under way, one event a call.
class TraceText {
 public:
  explicit TraceText(std::string process = "551") : process_(std::move(process)) {}

  /// `fields` is the JSON of the envelope without its braces.
  TraceText& Event(std::string_view fields) {
    text_ += Prefix() + "{" + std::string(fields) + "}\n";
    return *this;
  }

  /// The same with `payload` below it and its checksum in it.
  TraceText& Event(std::string_view fields, std::string_view payload) {
    text_ += Prefix() + "{" + std::string(fields) + ", \"has_payload\": \"" + Checksum(payload) +
             "\"}\n\t";
    for (const char c : payload) {
      text_ += c;
      if (c == '\n') text_ += '\t';
    }
    text_ += '\n';
    return *this;
  }

  /// An artifact of the compilation "frame/number".
  TraceText& Artifact(std::string_view name, int frame, int number, std::string_view payload) {
    return Event("\"artifact\": {\"name\": \"" + std::string(name) +
                     "\", \"encoding\": \"string\"}, " + Id(frame, number),
                 payload);
  }

  /// The metrics that end it; `fields` are further ones.
  TraceText& Metrics(std::string_view function, int frame, int number,
                     std::string_view fields = "\"graph_op_count\": 2") {
    return Event("\"compilation_metrics\": {\"co_name\": \"" + std::string(function) +
                 "\", \"co_filename\": \"/w/train.py\", \"co_firstlineno\": 4, " +
                 "\"entire_frame_compile_time_s\": 1.5, " + std::string(fields) + "}, " +
                 Id(frame, number));
  }

  /// A line as it is.
  TraceText& Line(std::string_view line) {
    text_ += std::string(line) + "\n";
    return *this;
  }

  static std::string Id(int frame, int number) {
    return "\"frame_id\": " + std::to_string(frame) +
           ", \"frame_compile_id\": " + std::to_string(number) + ", \"attempt\": 0";
  }

  static std::string Checksum(std::string_view payload) {
    llvm::MD5 hash;
    hash.update(llvm::StringRef(payload.data(), payload.size()));
    llvm::MD5::MD5Result result;
    hash.final(result);
    return std::string(result.digest().str());
  }

  const std::string& text() const { return text_; }

 private:
  std::string Prefix() const {
    return "V1121 04:07:24.693000 " + process_ + " torch/_dynamo/guards.py:5400] ";
  }

  const std::string process_;
  std::string text_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_TRACE_TEXT_H_
