#include "app/viewer/gl/gl_program.h"

#include <glad/gl.h>

#include <string>

#include "core/base/error.h"

namespace tl {
namespace {

GLuint compile(GLenum stage, const char* source) {
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok) return shader;
    char log[1024] = "";
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    throw UserError(std::string("this OpenGL driver refuses a shader: ") + log);
}

}  // namespace

unsigned link_program(const char* vertex, const char* fragment) {
    GLuint program = glCreateProgram();
    GLuint shaders[] = {compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)};
    for (GLuint shader : shaders) glAttachShader(program, shader);
    glLinkProgram(program);
    for (GLuint shader : shaders) glDeleteShader(shader);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (ok) return program;
    char log[1024] = "";
    glGetProgramInfoLog(program, sizeof log, nullptr, log);
    throw UserError(std::string("this OpenGL driver refuses a program: ") + log);
}

}  // namespace tl
