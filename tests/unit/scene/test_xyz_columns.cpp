// Columns of text files of points: names, decimal commas, colours of several ranges.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/points/xyz_loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::xyz_columns_tests {
namespace {

struct ReadText {
    PointCloud cloud;
    Warnings warnings;
};

ReadText read(const std::string& text) {
    Scene scene;
    ReadText result{read_xyz(scene, text, "a.xyz"), {}};
    result.warnings = scene.warnings;
    return result;
}

std::string refusal_of(const std::string& text) {
    return test::refusal([&] { (void)read(text); });
}

void expect_near(vec3 found, vec3 expected, const std::string& text) {
    // Texts have up to six digits.
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], 1e-6f) << text;
}

TEST(XyzColumns, NamesTellThemWhateverTheirOrderAndSpelling) {
    for (const char* text :
         {"x y z r g b intensity\n1 2 3 255 128 0 9\n",
          "//X Y Z R G B Intensity\n1 2 3 255 128 0 9\n",
          "#x,y,z,red,green,blue,i\n1,2,3,255,128,0,9\n",
          "X;Y;Z;Red;Green;Blue;scalar_Intensity\n1;2;3;255;128;0;9\n",
          "\"X\",\"Y\",\"Z\",\"Red\",\"Green\",\"Blue\",\"Reflectance\"\n1,2,3,255,128,0,9\n",
          "intensity\tB\tG\tR\tZ [m]\tY [m]\tX [m]\n9\t0\t128\t255\t3\t2\t1\n",
          "# Fields: x (m) y (m) z (m) intensity r g b\n1\n1 2 3 9 255 128 0\n",
          "3\n//\tX\tY\tZ\tIntensity\tR\tG\tB\n1\t2\t3\t9\t255\t128\t0\n",
          "Easting,Northing,Height,Amplitude,R,G,B,\n1,2,3,9,255,128,0,\n",
          "\"Points:0\",\"Points:1\",\"Points:2\",\"RGB:0\",\"RGB:1\",\"RGB:2\",grey\n"
          "1,2,3,255,128,0,9\n",
          "// names follow\n# xyz i rgb\n1 2 3 9 255 128 0\n",
          "x y z i r g b\n1 2 3 9 255 128 0\nx y z i r g b\n"}) {
        auto [cloud, warnings] = read(text);
        ASSERT_EQ(cloud.positions.size(), 1u) << text;
        EXPECT_EQ(cloud.positions[0], glm::dvec3(1, 2, 3)) << text;
        EXPECT_EQ(cloud.colors, std::vector<vec3>(1, vec3(255, 128, 0))) << text;
        EXPECT_EQ(cloud.intensities, std::vector<float>(1, 9.0f)) << text;
        EXPECT_TRUE(cloud.normals.empty()) << text;
        // The third to last text counts three points.
        EXPECT_LE(warnings.size(), text[0] == '3' ? 1u : 0u) << text;
    }
}

TEST(XyzColumns, NormalsAreThoseThatNamesTell) {
    for (const char* text :
         {"nx,ny,nz,x,y,z\n0,0,3,1,2,3\n", "x y z normal_x normal_y normal_z\n1 2 3 0 0 3\n",
          "# X Y Z I J K\n1 2 3 0 0 3\n", "//X Y Z Nx Ny Nz\n1 2 3 0 0 3\n",
          "x y z normals\n1 2 3 0 0 3\n"}) {
        auto cloud = read(text).cloud;
        ASSERT_EQ(cloud.normals.size(), 1u) << text;
        EXPECT_EQ(cloud.normals[0], vec3(0, 0, 1)) << text;
        EXPECT_EQ(cloud.positions.at(0), glm::dvec3(1, 2, 3)) << text;
        EXPECT_TRUE(cloud.colors.empty() && cloud.intensities.empty()) << text;
    }
    // Numbers of unit length are colours where they are called so.
    auto cloud = read("x y z r g b\n0 0 0 1 0 0\n0 0 1 0 0 1\n").cloud;
    EXPECT_TRUE(cloud.normals.empty());
    EXPECT_EQ(cloud.colors.at(1), vec3(0, 0, 1));
}

TEST(XyzColumns, AFieldsFileOfCloudCompareHasItsColoursAndNormals) {
    auto [cloud, warnings] = read(
        "//X;Y;Z;Rf;Gf;Bf;Intensity;Illuminance (PCV);Volume density (r=0.01);Nx;Ny;Nz\n2\n"
        "1.5;2.75;1.75;1;0.5;0.25;0.5;0.8;86421136.0;0.6;-0.8;0\n"
        "0.5;2.25;1.25;0;0;1;0.4;0.8;41061980.0;0;0;1\n");
    ASSERT_EQ(cloud.positions.size(), 2u);
    EXPECT_EQ(cloud.positions[0], glm::dvec3(1.5, 2.75, 1.75));
    EXPECT_EQ(cloud.colors.at(0), vec3(1, 0.5f, 0.25f));
    expect_near(cloud.normals.at(0), {0.6f, -0.8f, 0}, "");
    ASSERT_EQ(warnings.size(), 1u);
    TL_EXPECT_CONTAINS(
        warnings[0],
        "a.xyz: columns that are not used: Illuminance (PCV), Volume density (r=0.01)");
}

TEST(XyzColumns, UnknownNamesMayHaveAnyTextAndAreLeftOutWithAWarning) {
    auto [cloud, warnings] =
        read("id,name,x,y,z,r,g\n1,Big tree,1,2,3,255,\n2,\"#2, small\",4,5,6,0,0\n");
    ASSERT_EQ(cloud.positions.size(), 2u);
    EXPECT_EQ(cloud.positions[1], glm::dvec3(4, 5, 6));
    EXPECT_TRUE(cloud.colors.empty());  // two parts are no colour
    ASSERT_EQ(warnings.size(), 1u);
    TL_EXPECT_CONTAINS(warnings[0], "not used: id, name, r, g; known are x y z");
    // A second name of the same kind is another column.
    auto twice = read("x y z E N H\n1 2 3 4 5 6\n");
    EXPECT_EQ(twice.cloud.positions.at(0), glm::dvec3(1, 2, 3));
    TL_EXPECT_CONTAINS(twice.warnings.at(0), "not used: E, N, H");
}

TEST(XyzColumns, NumbersOfRowsNeedNoName) {
    for (const char* text : {",x,y,z\n7,1,2,3\n", "\"\",\"x\",\"y\",\"z\"\n\"7\",1,2,3\n",
                             " x y z\n7 1 2 3\n", "\"x\" \"y\" \"z\"\n\"7\" 1 2 3\n"})
        EXPECT_EQ(read(text).cloud.positions.at(0), glm::dvec3(1, 2, 3)) << text;
    TL_EXPECT_CONTAINS(refusal_of("x y z\n7 1 2 3\n"),
                       "a.xyz:2: has 4 columns, but line 1 names 3");
}

TEST(XyzColumns, CommentsThatAreNoNamesAreNone) {
    auto prose = read("# x y z are metres\n# made by x\n1 2 3 255 128 0\n");
    EXPECT_EQ(prose.cloud.colors, std::vector<vec3>(1, vec3(255, 128, 0)));
    EXPECT_TRUE(prose.warnings.empty());
    auto few = read("// X Y Z\n1 2 3 255 128 0\n");
    EXPECT_EQ(few.cloud.colors, std::vector<vec3>(1, vec3(255, 128, 0)));
    TL_EXPECT_CONTAINS(few.warnings.at(0), "a.xyz:1: names 3 columns, but points have 6");
    EXPECT_EQ(read("# x y z\n1 2 3\n# x y z\n4 5 6\n").cloud.positions.size(), 2u);
    TL_EXPECT_CONTAINS(refusal_of("# x y z\n1 2 3\n# z y x\n4 5 6\n"),
                       "a.xyz:3: names other columns than the first ones");
}

TEST(XyzColumns, HeadingsWithoutPlacesAreRefused) {
    for (const char* text : {"lat,lon,alt\n1,2,3\n", "x y r g b\n1 2 3 4 5\n"})
        TL_EXPECT_CONTAINS(refusal_of(text),
                           "a.xyz:1: is no point, and names no columns x, y and z");
    TL_EXPECT_CONTAINS(refusal_of("x,y,z\n1,2,3\nz,y,x\n4,5,6\n"), "a.xyz:3: 'z' is not a number");
}

TEST(XyzColumns, ColoursAreRangesOfByteWordOrOne) {
    struct {
        const char* rows;
        vec3 first;  // before they are decoded, which divides by 255 above 2
    } const cases[] = {
        {"0 0 0 255 128 0\n0 0 1 1 1 1\n", vec3(255, 128, 0)},
        {"0 0 0 256 128 0\n0 0 1 1 1 1\n", vec3(256, 128, 0)},  // rounded up
        {"0 0 0 65535 0 13107\n0 0 1 1 1 1\n", vec3(1, 0, 0.2f)},
        {"0 0 0 0.5 0.25 1\n0 0 1 1 1 1\n", vec3(0.5f, 0.25f, 1)},
        {"0 0 0 1 1 0\n0 0 1 1 1 1\n", vec3(1, 1, 0)},
        {"0 0 0 2 1 0\n0 0 1 1 1 1\n", vec3(2, 1, 0) / 255.0f},  // dark, but of bytes
    };
    for (auto& c : cases)
        for (const char* names : {"", "x y z r g b\n"})
            expect_near(read(std::string(names) + c.rows).cloud.colors.at(0), c.first, c.rows);
    // One number has the bits of a colour, as a whole number or, in files of PCL, as a float.
    auto packed = read("x y z rgb\n0 0 0 16711935\n0 0 0 2.3418052e-38\n").cloud;
    EXPECT_EQ(packed.colors, (std::vector<vec3>{vec3(1, 0, 1), vec3(1, 0, 0)}));
}

TEST(XyzColumns, IntensitiesOfPtsFilesMayBeNegative) {
    auto cloud =
        read("2\n0 0 0 -2048 255 0 0\n1 1 1 2047 0 255 0\n2\n0 0 2 -7 9 9 9\n0 0 3 5 9 9 9\n")
            .cloud;
    EXPECT_EQ(cloud.intensities, (std::vector<float>{-2048, 2047, -7, 5}));
    EXPECT_EQ(cloud.colors.at(1), vec3(0, 255, 0));
}

TEST(XyzColumns, DecimalCommasAreReadWhereTheyCanBeNothingElse) {
    for (const char* text :
         {"0,5;1,5;-2,5\n4;5;6\n", "0,5; 1,5; -2,5;\n4;5;6\n", "0,5 1,5 -2,5\n4 5 6\n",
          "0,5\t1,5\t-2,5\n4\t5\t6\n", "X;Y;Z\n0,5;1,5;-2,5\n4;5;6\n",
          "X\tY\tZ\n0,5\t1,5\t-2,5\n4\t5\t6\n", "\"0,5\",\"1,5\",\"-2,5\"\n4,5,6\n",
          "name;X;Y;Z\na, b;0,5;1,5;-2,5\nc. d;4;5;6\n", "5,0e-1 15,0E-1 -2,5\n4 5 6\n",
          "+0,5 1,5 -2,5 # 0.5\n4 5 6\n"}) {
        auto cloud = read(text).cloud;
        ASSERT_EQ(cloud.positions.size(), 2u) << text;
        EXPECT_EQ(cloud.positions[0], glm::dvec3(0.5, 1.5, -2.5)) << text;
        EXPECT_EQ(cloud.positions[1], glm::dvec3(4, 5, 6)) << text;
    }
    auto colored = read("X;Y;Z;R;G;B\n0,5;1,5;2,5;255;0;0\n").cloud;
    EXPECT_EQ(colored.colors.at(0), vec3(255, 0, 0));
    auto late = read("1 2 3\n1,5 2 3\n");
    EXPECT_EQ(late.cloud.positions.at(1), glm::dvec3(1.5, 2, 3));
    TL_EXPECT_CONTAINS(late.warnings.at(0),
                       "a.xyz:2: the commas within numbers are taken for decimal");
}

TEST(XyzColumns, CommasThatSeparateStillDo) {
    for (const char* text :
         {"1,2,3\n", "1, 2, 3\n", "1 ,2 ,3,\n", "1,\t2,\t3\n", "1,2,3 255,0,0\n"})
        EXPECT_EQ(read(text).cloud.positions.at(0), glm::dvec3(1, 2, 3)) << text;
    EXPECT_EQ(read("1,2,3 255,0,0\n").cloud.colors.at(0), vec3(255, 0, 0));
}

TEST(XyzColumns, CommasThatMayBeSeveralThingsAreRefused) {
    for (const char* text : {"0,5, 1,5, 2,5\n", "1.5 2,5 3\n", "1,234.5 2 3\n", "1.000;2,5;3\n",
                             "0.5 0 0\n1,5 2 3\n", "1,234,567 2,345,678 3\n"})
        TL_EXPECT_CONTAINS(refusal_of(text),
                           "its commas may separate columns, digits or thousands");
    TL_EXPECT_CONTAINS(refusal_of("1,5 2 3\n1.5 2 3\n"),
                       "a.xyz:2: '1.5' is not a number where others have decimal commas");
    TL_EXPECT_CONTAINS(refusal_of("X;Y;Z\n1.5;2;3\n1,5;2;3\n"),
                       "a.xyz:3: '1,5' is not a number where others have decimal points");
    TL_EXPECT_CONTAINS(refusal_of("x,y,z\n0,5,1,5,2,5\n"),
                       "a.xyz:2: has 6 columns, but line 1 names 3");
    TL_EXPECT_CONTAINS(refusal_of("1, 2, 3\n0,5 1,5 2,5\n"), "a.xyz:2: has 6 columns");
}

TEST(XyzColumns, FilesOfOtherEndingsAreOpenedByTheirContent) {
    test::TempFolder folder;
    for (const char* name : {"a.asc", "a.csv", "a.txt", "a"})
        for (const char* text :
             {"0 0 0\n1 1 1\n", "// a scan\n// X;Y;Z;Roughness (r=0.1)\n2\n0,5;0;0;1\n1;1;1;2\n"})
            EXPECT_EQ(load_scene(folder.write(name, text)).spheres.size(), 2u) << name << text;
    std::string obj = folder.write("b.txt", "o x y z\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    EXPECT_EQ(load_scene(obj).meshes.size(), 1u);
    folder.write("cloud.csv", "x,y,z\n0,0,0\n1,1,1\n");
    EXPECT_EQ(load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"cloud.csv\"\n")).spheres.size(),
              2u);
}

TEST(XyzColumns, CommasAloneBetweenWholeNumbersAreDoubted) {
    auto doubted = read("0,5,1,5,2,5\n1,5,2,5,3,5\n");
    EXPECT_EQ(doubted.cloud.positions.at(0), glm::dvec3(0, 5, 1));
    ASSERT_EQ(doubted.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(doubted.warnings[0],
                       "all numbers are whole, with commas alone between them");
    for (const char* text : {"1,2,3,255,0,0\n1.5,2,3,255,0,0\n", "1,2,3\n4,5,6\n",
                             "x,y,z,r,g,b\n1,2,3,255,0,0\n", "1,2,3 255,0,0\n"})
        EXPECT_TRUE(read(text).warnings.empty()) << text;
    for (const char* text : {"1,05,2,00,3,50\n", "-0,5,1,5,2,5\n"})
        TL_EXPECT_CONTAINS(refusal_of(text), "looks like the digits around a decimal comma");
}

TEST(XyzColumns, NumbersMayHaveExponentsOfFortran) {
    EXPECT_EQ(read("1.5D+02 -2d0 3.E0\n").cloud.positions.at(0), glm::dvec3(150, -2, 3));
    TL_EXPECT_CONTAINS(refusal_of("1d 2 3\n"), "a.xyz:1: '1d' is not a number");
}

TEST(XyzColumns, RowsOfTooManyColumnsAreRefused) {
    std::string row;
    for (int i = 0; i < 5000; ++i) row += "1 ";
    TL_EXPECT_CONTAINS(refusal_of(row), "a.xyz:1: has more than 4096 columns");
    EXPECT_EQ(
        read("x y z " + row.substr(0, 400) + "\n" + row.substr(0, 406)).cloud.positions.size(), 1u);
}

}  // namespace
}  // namespace tl::xyz_columns_tests
