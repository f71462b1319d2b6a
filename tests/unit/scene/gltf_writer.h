// Writes small glTF files with their buffer in a data URI, in a separate file, or as one GLB.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tl::test {

inline std::string base64(std::string_view bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k > bytes.size() ? '=' : kDigits[word >> (18 - 6 * k) & 63];
    }
    return text;
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

class GltfWriter {
  public:
    /// Appends an accessor of floats ("SCALAR" to "VEC4") or of indices; returns its index.
    int add(const std::string& type, const std::vector<float>& values) {
        std::size_t per_row = type == "SCALAR" ? 1 : static_cast<std::size_t>(type.back() - '0');
        return add(type, 5126, values.size() / per_row, raw_bytes(values));
    }
    int add_indices(const std::vector<std::uint8_t>& values) {
        return add("SCALAR", 5121, values.size(), raw_bytes(values));
    }
    int add_indices(const std::vector<std::uint16_t>& values) {
        return add("SCALAR", 5123, values.size(), raw_bytes(values));
    }
    int add_indices(const std::vector<std::uint32_t>& values) {
        return add("SCALAR", 5125, values.size(), raw_bytes(values));
    }

    /// Appends an accessor of normalised 16-bit or 8-bit numbers.
    template <class T>
    requires(sizeof(T) <= 2) int add_normalized(const std::string& type,
                                                const std::vector<T>& values) {
        std::size_t per_row = static_cast<std::size_t>(type.back() - '0');
        int component = sizeof(T) == 1 ? 5120 : 5122;
        if (std::is_unsigned_v<T>) ++component;
        return add(type, component, values.size() / per_row, raw_bytes(values),
                   ", \"normalized\": true");
    }
    /// Appends an accessor of floats without data, as of compressed geometry.
    int add_compressed(const std::string& type, std::size_t count) {
        accessors_ += std::string(n_accessors_ ? ", " : "") +
                      "{\"componentType\": 5126, \"count\": " + std::to_string(count) +
                      ", \"type\": \"" + type + "\"}";
        return n_accessors_++;
    }

    /// Appends a buffer view of bytes without an accessor, as for images; returns its index.
    int add_bytes(const std::string& bytes) {
        views_ += std::string(n_views_ ? ", " : "") + view_of(bytes.size());
        append(bytes);
        return n_views_++;
    }

    /// Text of the file; `members`: all JSON members except buffers, "\"nodes\": [...], ...".
    [[nodiscard]] std::string text(const std::string& members) const {
        return json(members,
                    ", \"uri\": \"data:application/octet-stream;base64," + base64(data_) + "\"");
    }
    [[nodiscard]] std::string text_beside(const std::string& members,
                                          const std::string& uri) const {
        return json(members, ", \"uri\": \"" + uri + "\"");
    }
    [[nodiscard]] std::string glb(const std::string& members) const {
        std::string text = json(members, ""), data = data_;
        text.resize((text.size() + 3) / 4 * 4, ' ');
        data.resize((data.size() + 3) / 4 * 4, '\0');
        auto word = [](std::size_t value) {
            return raw_bytes(std::vector<std::uint32_t>{static_cast<std::uint32_t>(value)});
        };
        return "glTF" + word(2) + word(28 + text.size() + data.size()) + word(text.size()) +
               "JSON" + text + word(data.size()) + std::string("BIN\0", 4) + data;
    }
    [[nodiscard]] const std::string& data() const { return data_; }

  private:
    int add(const std::string& type, int component, std::size_t count, const std::string& bytes,
            const std::string& more = "") {
        accessors_ += std::string(n_accessors_ ? ", " : "") +
                      "{\"bufferView\": " + std::to_string(add_bytes(bytes)) +
                      ", \"componentType\": " + std::to_string(component) +
                      ", \"count\": " + std::to_string(count) + ", \"type\": \"" + type + "\"" +
                      more + "}";
        return n_accessors_++;
    }
    [[nodiscard]] std::string view_of(std::size_t size) const {
        return "{\"buffer\": 0, \"byteOffset\": " + std::to_string(data_.size()) +
               ", \"byteLength\": " + std::to_string(size) + "}";
    }
    void append(const std::string& bytes) {
        data_ += bytes;
        data_.resize((data_.size() + 3) / 4 * 4, '\0');
    }
    [[nodiscard]] std::string json(const std::string& members, const std::string& source) const {
        return "{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"byteLength\": " +
               std::to_string(data_.size()) + source + "}], \"bufferViews\": [" + views_ +
               "], \"accessors\": [" + accessors_ + "], " + members + "}";
    }

    std::string data_, views_, accessors_;
    int n_accessors_ = 0, n_views_ = 0;
};

}  // namespace tl::test
