// Writes zip archives, honest and dishonest ones.

#ifndef SHAPEWISE_TESTS_SUPPORT_ZIP_BUILDER_H_
#define SHAPEWISE_TESTS_SUPPORT_ZIP_BUILDER_H_

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// One member; what is set differs from what an honest writer would put there.
struct ZipEntry {
  std::string name;
  std::string text;
  bool is_deflated = false;
  bool has_descriptor = false;  ///< sizes behind the data
  bool is_zip64 = false;        ///< sizes in a zip64 field of the directory
  int64_t more_unpacked = 0;    ///< added to the size in both headers
  uint32_t wrong_checksum = 0;  ///< xored
  int64_t more_offset = 0;      ///< added to the offset in the directory
};

inline std::string Deflate(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

/// `value` as `num_bytes` bytes, little-endian.
inline std::string LittleEndian(uint64_t value, int num_bytes) {
  std::string bytes;
  for (int i = 0; i < num_bytes; ++i) bytes.push_back(static_cast<char>(value >> 8 * i));
  return bytes;
}

inline std::string BuildZip(const std::vector<ZipEntry>& entries, bool ends_in_zip64 = false) {
  const auto n2 = [](uint64_t value) { return LittleEndian(value, 2); };
  const auto n4 = [](uint64_t value) { return LittleEndian(value, 4); };
  const auto n8 = [](uint64_t value) { return LittleEndian(value, 8); };
  std::string bytes;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string data = entry.is_deflated ? Deflate(entry.text) : entry.text;
    const uint64_t unpacked = entry.text.size() + static_cast<uint64_t>(entry.more_unpacked);
    const uLong checksum =
        crc32_z(0, reinterpret_cast<const Bytef*>(entry.text.data()), entry.text.size()) ^
        entry.wrong_checksum;
    const std::string head =
        n2(entry.has_descriptor ? 8 : 0) + n2(entry.is_deflated ? 8 : 0) + n4(0);
    const uint64_t offset = bytes.size() + static_cast<uint64_t>(entry.more_offset);
    const bool has_sizes = !entry.has_descriptor;
    bytes += "PK\x03\x04" + n2(20) + head + n4(has_sizes ? checksum : 0) +
             n4(has_sizes ? data.size() : 0) + n4(has_sizes ? unpacked : 0) +
             n2(entry.name.size()) + n2(0) + entry.name + data;
    if (entry.has_descriptor) bytes += "PK\x07\x08" + n4(checksum) + n4(data.size()) + n4(unpacked);
    const std::string extra =
        entry.is_zip64 ? n2(1) + n2(24) + n8(unpacked) + n8(data.size()) + n8(offset) : "";
    const auto reported = [&](uint64_t value) { return n4(entry.is_zip64 ? 0xffffffff : value); };
    directory += "PK\x01\x02" + n2(20) + n2(20) + head + n4(checksum) + reported(data.size()) +
                 reported(unpacked) + n2(entry.name.size()) + n2(extra.size()) + n2(0) + n2(0) +
                 n2(0) + n4(0) + reported(offset) + entry.name + extra;
  }
  const uint64_t directory_offset = bytes.size();
  bytes += directory;
  if (ends_in_zip64) {
    const uint64_t end64_offset = bytes.size();
    bytes += "PK\x06\x06" + n8(44) + n2(45) + n2(45) + n4(0) + n4(0) + n8(entries.size()) +
             n8(entries.size()) + n8(directory.size()) + n8(directory_offset);
    bytes += "PK\x06\x07" + n4(0) + n8(end64_offset) + n4(1);
    return bytes + "PK\x05\x06" + n4(0) + n2(0xffff) + n2(0xffff) + n4(0xffffffff) +
           n4(0xffffffff) + n2(0);
  }
  return bytes + "PK\x05\x06" + n4(0) + n2(entries.size()) + n2(entries.size()) +
         n4(directory.size()) + n4(directory_offset) + n2(0);
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_ZIP_BUILDER_H_
