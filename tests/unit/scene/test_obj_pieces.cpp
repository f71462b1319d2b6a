// OBJ texts read in pieces: the result, the warnings and the errors are those of the whole text.
#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "renderer/scene/loaders/obj/obj_reader.h"

namespace tl::obj_pieces_tests {
namespace {

/// All that a file has, as text.
std::string contents(const ObjFile& file) {
    std::string text;
    auto add = [&](auto... numbers) { ((text += std::to_string(numbers) + ' '), ...); };
    for (auto& p : file.positions) add(p.x, p.y, p.z);
    for (auto& c : file.colors) add(c.x, c.y, c.z);
    for (auto& uv : file.uvs) add(uv.x, uv.y);
    for (auto& n : file.normals) add(n.x, n.y, n.z);
    for (auto& shape : file.shapes) {
        text += "\n" + shape.name + ": ";
        for (auto& c : shape.corners) add(c.position, c.uv, c.normal);
        for (auto& f : shape.faces) add(f.n_corners, f.material, f.smoothing_group);
    }
    for (auto& s : file.strokes) add(s.from, s.to, s.material);
    for (auto* names : {&file.material_libraries, &file.used_materials, &file.warnings})
        for (auto& name : *names) text += "\n" + name;
    return text;
}

/// The contents, or the error, of a text that is read in pieces of at least `n_bytes`.
std::string outcome(std::string text, std::size_t n_bytes) {
    try {
        return contents(read_obj(text, "a.obj", {}, n_bytes));
    } catch (const UserError& error) {
        return error.what();
    }
}

void expect_same_in_all_pieces(const std::string& text) {
    const std::string whole = outcome(text, text.size() + 1);
    for (std::size_t n_bytes = 1; n_bytes < text.size(); ++n_bytes)
        ASSERT_EQ(outcome(text, n_bytes), whole) << n_bytes << " bytes of " << text;
}

TEST(ObjPieces, AreReadAsOneTextWouldBe) {
    expect_same_in_all_pieces(
        "mtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0\r\nv 0 1 0\nv 1 1 1 0.5 0.5 0.5\n"
        "vt 0 0\nvt 1 0.5\nvn 0 0 1\nusemtl red wall\ns 1\nf 1/1/1 2/2/1 3/1/1\n"
        "g one two\nf 1 2 4 3\nusemtl b\nf -1//-1 -2//-1 -3//-1 \\\n -4\n# comment \\\n"
        "l 1 2 3\np 1 2\ns off\nusemtl red wall\ncurv 0 1 1 2\nf 1 2\ng\no \nf 2 3 4\n"
        "v 5 \\\r\n6 7\nf -2 -1 1");
}

TEST(ObjPieces, ErrorsHaveTheLinesOfTheWholeText) {
    const std::string begin = "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\n";
    for (const char* fault : {"v 1 x 2\n", "f 1 2 9\n", "f -4 -1 -2\n", "f 0 1 2\n", "v 1\n"}) {
        auto text = begin + fault + "v 2 2 2\nf 1 2 3\n";
        EXPECT_NE(outcome(text, text.size()).find("a.obj:"), std::string::npos) << fault;
        expect_same_in_all_pieces(text);
    }
}

TEST(ObjPieces, NumbersThatTheLibraryReadsWronglyAreMended) {
    std::string text =
        "v 0e999 1e-005 0.00000000000000000000000000000000000000000012e43\n"
        "v 1e-99999999999 5. +.5\nv 2 0 0\nf 1 2 3\n";
    ObjFile file = read_obj(text, "a.obj", {});
    ASSERT_EQ(file.positions.size(), 3u);
    EXPECT_EQ(file.positions[0].x, 0);
    EXPECT_NEAR(file.positions[0].y, 1e-5, 1e-12);
    EXPECT_NEAR(file.positions[0].z, 1.2, 1e-6);
    EXPECT_EQ(file.positions[1].x, 0);
    EXPECT_NEAR(file.positions[1].y, 5, 1e-6);
    EXPECT_NEAR(file.positions[1].z, 0.5, 1e-7);
}

}  // namespace
}  // namespace tl::obj_pieces_tests
