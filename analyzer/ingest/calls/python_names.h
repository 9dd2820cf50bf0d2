// Texts as Python and Dynamo's guards print them.

#ifndef SHAPEWISE_INGEST_CALLS_PYTHON_NAMES_H_
#define SHAPEWISE_INGEST_CALLS_PYTHON_NAMES_H_

#include <string>
#include <string_view>

namespace shapewise {

/// repr() of a str, as far as names need it: 'a', "it's".
inline std::string PythonString(std::string_view text) {
  const bool has_quote = text.find('\'') != std::string_view::npos;
  const char quote = has_quote && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string printed(1, quote);
  for (const char c : text) {
    if (c == '\\' || c == quote) printed += '\\';
    printed += c;
  }
  return printed + quote;
}

/// The item `key` of what `source` names: "L['x']".
inline std::string SourceOfKey(std::string_view source, std::string_view key) {
  return std::string(source) + "[" + PythonString(key) + "]";
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_CALLS_PYTHON_NAMES_H_
