#include "ingest/formats/chrome_trace/trace_event.h"

#include <simdjson.h>

#include <cmath>
#include <string>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr double kMaxMicros = 5e15;  // the year 2128

/// A number or a text, as written but without quotes and blanks.
std::string_view RawWord(ondemand::value value) {
  std::string_view raw = TrimRight(value.raw_json_token());
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') {
    raw = raw.substr(1, raw.size() - 2);
  }
  return raw;
}

/// A time in microseconds: a number, or one in quotes, as some exporters write it.
bool ReadMicros(ondemand::value value, double& micros) {
  ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  const auto error = type == ondemand::json_type::string ? value.get_double_in_string().get(micros)
                                                         : value.get_double().get(micros);
  return error == simdjson::SUCCESS && std::isfinite(micros) && std::abs(micros) < kMaxMicros;
}

/// Arguments are a text or an object of any depth; only plain members of it are looked at.
void ReadArguments(ondemand::value arguments, TraceEvent& event) {
  ondemand::object object;
  if (arguments.get_object().get(object) != simdjson::SUCCESS) return;
  for (auto entry : object) {
    ondemand::field field;
    if (std::move(entry).get(field) != simdjson::SUCCESS) return;
    const ondemand::raw_json_string key = field.key();
    std::string_view* const target = key == "name"         ? &event.arg_name
                                     : key == "labels"     ? &event.arg_labels
                                     : key == "compile_id" ? &event.arg_compile_id
                                                           : nullptr;
    if (target != nullptr) *target = RawWord(field.value());
  }
}

}  // namespace

struct TraceEventParser::Buffers {
  ondemand::parser parser;
  std::string padded;
};

TraceEventParser::TraceEventParser() : buffers_(std::make_unique<Buffers>()) {}
TraceEventParser::~TraceEventParser() = default;

bool TraceEventParser::Parse(std::string_view json, TraceEvent& event) {
  event = {};
  std::string& padded = buffers_->padded;
  padded.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  padded.assign(json);
  ondemand::document document;
  const simdjson::padded_string_view view(padded.data(), json.size(), padded.capacity());
  if (buffers_->parser.iterate(view).get(document) != simdjson::SUCCESS) return false;
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;

  for (auto entry : object) {
    ondemand::field field;
    if (std::move(entry).get(field) != simdjson::SUCCESS) return false;
    const ondemand::raw_json_string key = field.key();
    ondemand::value value = field.value();
    if (key == "ph") {
      const std::string_view phase = RawWord(value);
      event.phase = phase.size() == 1 ? phase[0] : '\0';
    } else if (key == "name") {
      if (value.get_string().get(event.name) != simdjson::SUCCESS) return false;
    } else if (key == "cat") {
      event.category = RawWord(value);
    } else if (key == "pid") {
      event.process = RawWord(value);
    } else if (key == "tid") {
      event.thread = RawWord(value);
    } else if (key == "ts") {
      if (!ReadMicros(value, event.begin_us)) return false;
    } else if (key == "dur") {
      if (!ReadMicros(value, event.duration_us) || event.duration_us < 0) return false;
    } else if (key == "args") {
      ReadArguments(value, event);
    }
  }
  return true;
}

}  // namespace shapewise
