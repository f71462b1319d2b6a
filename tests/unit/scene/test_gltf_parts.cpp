// The parts that a glTF file is made of: chunks of a .glb, and URIs of files and of data.
#include <gtest/gtest.h>

#include <cctype>

#include "core/base/files.h"
#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/gltf/gltf_uri.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_parts_tests {
namespace {

using test::base64;
using test::GltfWriter;
using test::refusal;
using test::TempFolder;
using Warnings = std::vector<std::string>;

constexpr const char* kNode = "\"nodes\": [{\"mesh\": 0}], ";
const std::vector<float> kCorners{0, 0, 0, 1, 0, 0, 0, 1, 0};
const std::vector<vec3> kPositions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};

GltfWriter triangle() {
    GltfWriter writer;
    (void)writer.add("VEC3", kCorners);
    return writer;
}

/// All members but buffers, with one primitive that has these.
std::string members(const std::string& primitive, const std::string& more = "") {
    return std::string(kNode) + "\"meshes\": [{\"name\": \"m\", \"primitives\": [{" + primitive +
           "}]}]" + more;
}
const std::string kPlain = members("\"attributes\": {\"POSITION\": 0}");

std::string word(std::size_t value) {
    return test::raw_bytes(std::vector<std::uint32_t>{static_cast<std::uint32_t>(value)});
}
std::string chunk(const std::string& type, const std::string& bytes) {
    return word(bytes.size()) + (type + std::string(4 - type.size(), '\0')) + bytes;
}
std::string container(const std::string& chunks) {
    return "glTF" + word(2) + word(12 + chunks.size()) + chunks;
}
/// The JSON of a file whose buffer is in a chunk.
std::string json_beside_chunk(const GltfWriter& writer = triangle()) {
    std::string text = writer.text_beside(kPlain, "");
    return text + std::string((4 - text.size() % 4) % 4, ' ');
}

Warnings warnings_of(const Scene& scene) {
    return {scene.warnings.begin(), scene.warnings.end()};
}

void expect_triangle(const TempFolder& folder, const std::string& name, const std::string& bytes,
                     const Warnings& warnings = {}) {
    std::string path = folder.write(name, bytes);
    Scene scene;
    std::string message = refusal([&] { scene = load_scene(path); });
    ASSERT_EQ(message, "");
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_EQ(scene.meshes[0].positions, kPositions);
    Warnings expected;
    for (auto& warning : warnings) expected.push_back(path + ": " + warning);
    EXPECT_EQ(warnings_of(scene), expected);
}

std::string refused(const TempFolder& folder, const std::string& name, const std::string& bytes) {
    std::string message = refusal([&] { (void)load_scene(folder.write(name, bytes)); });
    TL_EXPECT_CONTAINS(message, name);
    EXPECT_LT(message.size(), 400u);
    return message;
}

TEST(GltfChunks, UnknownOnesAreIgnoredWhereverTheyStand) {
    TempFolder folder;
    std::string json = chunk("JSON", json_beside_chunk()), data = chunk("BIN", triangle().data()),
                other = chunk("TEST", "abcd"), empty = chunk("NIL", "");
    for (auto& chunks : {json + data, json + other + data, json + data + other,
                         json + empty + other + data + empty, json + data + chunk("BIN", "abcd")})
        expect_triangle(folder, "a.glb", container(chunks));
    std::string alone = chunk("JSON", triangle().text(kPlain) + " ");
    for (auto& rest : {std::string(), other, chunk("BIN", ""), chunk("BIN", "abcd"), empty})
        expect_triangle(folder, "a.glb", container(alone + rest));
    TL_EXPECT_CONTAINS(refused(folder, "a.glb", container(other + json + data)),
                       "begins with a chunk of type 'TEST'; the first chunk of a .glb is 'JSON'");
    TL_EXPECT_CONTAINS(refused(folder, "a.glb", container(json + other)),
                       "buffer 0 has no data; the file has no chunk 'BIN'");
    TL_EXPECT_CONTAINS(refused(folder, "a.glb", container(json + chunk("BIN", ""))),
                       "buffer 0 has 0 bytes of 36");
}

TEST(GltfChunks, LengthsAreCheckedAndPaddingOfAnyKindIsTaken) {
    TempFolder folder;
    std::string text = json_beside_chunk(), json = chunk("JSON", text),
                data = chunk("BIN", triangle().data()), whole = container(json + data);
    expect_triangle(folder, "a.glb", whole + std::string(64, '\0'));
    expect_triangle(folder, "a.glb", whole + "trailing",
                    {"has 8 bytes after its end, which are not read"});
    expect_triangle(folder, "a.glb", container(json + data + "abc"),
                    {"has 3 bytes after its end, which are not read"});
    // Zeros instead of blanks, an odd length, and padding that is not counted.
    expect_triangle(folder, "a.glb", container(chunk("JSON", text + std::string(4, '\0')) + data));
    expect_triangle(folder, "a.glb", container(chunk("JSON", text + " ") + data));
    std::string padded = word(text.size() + 1) + "JSON" + text + "    ";
    expect_triangle(folder, "a.glb", container(padded + data));
    expect_triangle(folder, "a.glb", container(json + chunk("BIN", triangle().data() + "a")));
    auto patched = [&](std::size_t place, std::size_t value) {
        std::string bytes = whole;
        return refused(folder, "a.glb", bytes.replace(place, 4, word(value)));
    };
    TL_EXPECT_CONTAINS(patched(8, whole.size() + 1), "is cut off");
    TL_EXPECT_CONTAINS(patched(8, 0), "has the length 0 in its header");
    TL_EXPECT_CONTAINS(patched(8, 100), "its chunk 0, of type 'JSON' at byte 12, claims ");
    TL_EXPECT_CONTAINS(patched(12, 0xFFFFFFFF), "claims 4294967295 bytes, but only ");
    TL_EXPECT_CONTAINS(patched(12 + json.size(), 37), "its chunk 1, of type 'BIN' at byte ");
    TL_EXPECT_CONTAINS(refused(folder, "a.glb", container(chunk("JSON", "    "))), "is empty");
    TL_EXPECT_CONTAINS(refused(folder, "a.glb", "glTF"), "is cut off: it has 4 bytes of 12");
}

TEST(GltfUris, OnlyTwoDigitsAfterAPercentSignAreDecoded) {
    EXPECT_EQ(percent_decoded("a%20b%2Fc%2fd"), "a b/c/d");
    EXPECT_EQ(percent_decoded("%C3%A9%41"), "\xC3\xA9\x41");
    for (auto* literal : {"10%.bin", "%", "%2", "a%zz", "%g0", "%0g", "a+b", "a#b?c", "% 20"})
        EXPECT_EQ(percent_decoded(literal), literal);
    EXPECT_EQ(percent_decoded("%%20%25"), "% %");
}

TEST(GltfUris, BuffersAndTexturesAreFoundByTheirNames) {
    TempFolder folder, pictures;
    write_png(pictures.path("t.png"), {{1, 1}, {255, 0, 0, 255}});
    std::string png = read_file(pictures.path("t.png"));
    // The name of a file, and the URI that means it.
    const std::pair<const char*, const char*> names[] = {{"example 10%", "example 10%"},
                                                         {"a b", "a%20b"},
                                                         {"a b", "a b"},
                                                         {"c+d", "c+d"},
                                                         {"e#f?g", "e#f?g"},
                                                         {"e#f?g", "e%23f%3Fg"},
                                                         {"50%", "50%25"},
                                                         {"50%25", "50%2525"},
                                                         {"\xC3\xA9", "%C3%A9"},
                                                         {"\xC3\xA9", "\xC3\xA9"},
                                                         {"%zz", "%zz"},
                                                         {"sub/x y", "sub/x%20y"},
                                                         {"as%20is", "as%20is"},
                                                         {"&amp;'", "&amp;'"}};
    for (auto& [name, uri] : names) {
        SCOPED_TRACE(uri);
        TempFolder own;
        own.write(std::string(name) + ".bin", triangle().data());
        own.write(std::string(name) + ".png", png);
        std::string text = triangle().text_beside(
            members("\"attributes\": {\"POSITION\": 0}, \"material\": 0",
                    ", \"materials\": [{\"pbrMetallicRoughness\": {\"baseColorTexture\": "
                    "{\"index\": 0}}}], \"textures\": [{\"source\": 0}], \"images\": [{\"uri\": "
                    "\"" +
                        std::string(uri) + ".png\"}]"),
            std::string(uri) + ".bin");
        Scene scene;
        EXPECT_EQ(refusal([&] { scene = load_scene(own.write("a.gltf", text)); }), "");
        EXPECT_EQ(warnings_of(scene), Warnings{});
        EXPECT_EQ(scene.textures.size(), 1u);
    }
    auto beside = [&](const std::string& uri) {
        return refused(folder, "a.gltf", triangle().text_beside(kPlain, uri));
    };
    TL_EXPECT_CONTAINS(beside("none 10%.bin"), "buffer 'none 10%.bin' not found");
    TL_EXPECT_CONTAINS(beside("none%201.bin"), "buffer 'none 1.bin' not found");
    // The system would end the name at the zero.
    folder.write("cut.bin", triangle().data());
    TL_EXPECT_CONTAINS(beside("cut.bin%00.png"), "not found");
}

/// The bytes as a data URI has them without base64.
std::string percent_encoded(const std::string& bytes) {
    constexpr char kDigits[] = "0123456789aBCDeF";
    std::string text;
    for (char c : bytes) {
        auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte))
            text += c;
        else
            text = text + '%' + kDigits[byte >> 4] + kDigits[byte & 15];
    }
    return text;
}

std::string replaced(std::string text, char from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, 1, to);
    return text;
}

TEST(GltfDataUris, AreReadInAllTheirForms) {
    TempFolder folder;
    // 37 bytes, so that base64 has padding, and digits that differ between the alphabets.
    std::string data = triangle().data() + "\xFF";
    data.replace(32, 4, std::string("\x00\xFB\xEF\xBE", 4));
    std::string text = base64(data), encoded = percent_encoded(data);
    ASSERT_NE(text.find('+'), std::string::npos);
    ASSERT_NE(text.find('/'), std::string::npos);
    std::string for_urls = replaced(replaced(text, '+', "-"), '/', "_");
    std::string lines = text.substr(0, 10) + "\\r\\n " + text.substr(10) + "\\n";
    for (auto& uri :
         {"data:application/octet-stream;base64," + text, "data:;base64," + text,
          "data:application/octet-stream;charset=utf-8;base64," + text, "DATA:;BASE64," + text,
          "data:application/gltf-buffer;a=b;c=\\\"d\\\";Base64," + text, "data:; base64 ," + text,
          "data:x;base64," + text.substr(0, text.find('=')), "data:x;base64," + lines,
          "data:x;base64," + for_urls, "data:x;base64," + replaced(text, '+', "%2B"),
          "data:x;base64," + replaced(text, '=', "%3d"), "data:application/octet-stream," + encoded,
          "data:," + encoded, "data:text/plain;charset=US-ASCII," + encoded}) {
        SCOPED_TRACE(uri);
        Scene scene;
        std::string file = triangle().text_beside(kPlain, uri);
        EXPECT_EQ(refusal([&] { scene = load_scene(folder.write("a.gltf", file)); }), "");
        ASSERT_EQ(scene.meshes.size(), 1u);
        EXPECT_EQ(scene.meshes[0].positions[1], vec3(1, 0, 0));
        std::string glb = chunk("JSON", triangle().text_beside(kPlain, uri));
        EXPECT_EQ(refusal([&] { (void)load_scene(folder.write("a.glb", container(glb))); }), "");
    }
}

TEST(GltfDataUris, FaultsAreToldInFewWords) {
    TempFolder folder;
    auto said = [&](const std::string& uri) {
        return refused(folder, "a.gltf", triangle().text_beside(kPlain, uri));
    };
    std::string text = base64(triangle().data()), large(9999, 'A');
    TL_EXPECT_CONTAINS(said("data:application/octet-stream;base64" + large),
                       "a.gltf: buffer 0 is a data URI without a comma");
    TL_EXPECT_CONTAINS(said("data:;base64,AA*" + large),
                       "buffer 0 is a data URI with a character that is no digit of base64, at "
                       "byte 2 of its data");
    TL_EXPECT_CONTAINS(said("data:;base64,AA==" + large), "more after the end of its base64");
    TL_EXPECT_CONTAINS(said("data:;base64," + text + "A"), "a data URI whose base64 is cut off");
    TL_EXPECT_CONTAINS(said("data:;base64," + text.substr(4)),
                       "buffer 0, a data URI, has 33 bytes of 36; it is cut off");
    TL_EXPECT_CONTAINS(said("data:,"), "buffer 0, a data URI, has 0 bytes of 36");
    expect_triangle(folder, "a.gltf",
                    triangle().text_beside(kPlain, "data:;base64," + text + large + "A"));
}

TEST(GltfDataUris, PicturesAreReadWhateverTheirMediaTypeSays) {
    TempFolder folder;
    write_png(folder.path("t.png"), {{2, 1}, {255, 0, 0, 255, 0, 0, 255, 255}});
    std::string png = read_file(folder.path("t.png"));
    auto load = [&](const std::string& image) {
        std::string text =
            triangle().text(members("\"attributes\": {\"POSITION\": 0}, \"material\": 0",
                                    ", \"materials\": [{\"pbrMetallicRoughness\": "
                                    "{\"baseColorTexture\": {\"index\": 0}}}], \"textures\": "
                                    "[{\"source\": 0}], \"images\": [{" +
                                        image + "}]"));
        return load_scene(folder.write("a.gltf", text));
    };
    for (auto& head : {"data:image/png;charset=binary;base64,", "data:;base64,",
                       "data:image/jpeg;base64,", "data:image/webp;base64,", "data:image/png,"}) {
        SCOPED_TRACE(head);
        bool is_coded = std::string(head).find("base64") == std::string::npos;
        Scene scene =
            load("\"uri\": \"" + (head + (is_coded ? percent_encoded(png) : base64(png))) + "\"");
        EXPECT_EQ(warnings_of(scene), Warnings{});
        ASSERT_EQ(scene.textures.size(), 1u);
        EXPECT_EQ(scene.textures[0].rgba[6], 255);
    }
    for (auto& image : {std::string("\"uri\": \"data:image/png;base64,*\""),
                        std::string("\"uri\": \"data:image/png;base64\""), std::string(),
                        std::string("\"uri\": null"), std::string("\"bufferView\": 7"),
                        "\"uri\": \"data:image/png;base64," + std::string(5000, 'A') + "\""}) {
        SCOPED_TRACE(image.substr(0, 80));
        Scene scene = load(image);
        ASSERT_EQ(scene.warnings.size(), 1u);
        EXPECT_LT(scene.warnings[0].size(), 300u);
        TL_EXPECT_CONTAINS(scene.warnings[0], "its material is plain");
        EXPECT_EQ(scene.materials.at(1).diffuse_texture, -1);
    }
}

}  // namespace
}  // namespace tl::gltf_parts_tests
