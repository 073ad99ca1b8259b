package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.quire.spring.EsiFragment;
import dev.quire.test.EsiSite;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public API of the starter and the harness is listed in docs/api-*.txt, so that a change shows
 * in review. {@code -Dquire.api=update} rewrites the lists.
 */
class PublicApiTest {
    /** The name of an array of objects, such as {@code [Ljava.lang.String;}. */
    private static final Pattern ARRAY = Pattern.compile("(\\[+)L([^;]+);");

    private static final Path DOCS = Path.of("../../docs");

    @Test
    void starter() throws IOException {
        assertThatListIsCurrent("api-starter.txt", EsiFragment.class, "dev.quire.spring");
    }

    @Test
    void harness() throws IOException {
        assertThatListIsCurrent("api-harness.txt", EsiSite.class, "dev.quire.test");
    }

    private static void assertThatListIsCurrent(String name, Class<?> member, String root)
            throws IOException {
        var listed = String.join("\n", api(member, root)) + "\n";
        var file = DOCS.resolve(name);
        if ("update".equals(System.getProperty("quire.api"))) {
            Files.writeString(file, listed);
        }

        assertThat(Files.readString(file))
                .describedAs("docs/%s (run bin/test -Dquire.api=update after a change)", name)
                .isEqualTo(listed);
    }

    private static List<String> api(Class<?> member, String root) {
        var place = member.getProtectionDomain().getCodeSource().getLocation();
        var lines = new ArrayList<String>();
        new ClassFileImporter()
                .importUrl(place).stream()
                        .filter(type -> type.getPackageName().startsWith(root))
                        .filter(PublicApiTest::isApi)
                        .sorted(Comparator.comparing(JavaClass::getName))
                        .forEach(type -> list(type, lines));
        assertThat(lines).hasSizeGreaterThan(100);
        return lines;
    }

    private static boolean isApi(JavaClass type) {
        return !type.getPackageName().contains(".internal")
                && !type.isAnonymousClass()
                && type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicApiTest::isApi).orElse(true);
    }

    private static void list(JavaClass type, List<String> lines) {
        lines.add(kind(type) + " " + type.getName() + supertypes(type));
        type.getMembers().stream()
                .filter(member -> isVisible(member, type))
                .map(PublicApiTest::line)
                .sorted()
                .distinct()
                .forEach(line -> lines.add("    " + line));
    }

    private static String supertypes(JavaClass type) {
        var supertypes =
                Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
                        .map(JavaClass::getName)
                        .filter(name -> !name.matches("java\\.lang\\.(Object|Enum|Record)"))
                        .filter(name -> !name.equals(Annotation.class.getName()))
                        .sorted()
                        .collect(Collectors.joining(", "));
        return supertypes.isEmpty() ? "" : ": " + supertypes;
    }

    private static String kind(JavaClass type) {
        if (type.isAnnotation()) {
            return "annotation";
        }
        if (type.isEnum()) {
            return "enum";
        }
        if (type.isRecord()) {
            return "record";
        }
        return type.isInterface() ? "interface" : "class";
    }

    private static boolean isVisible(JavaMember member, JavaClass type) {
        var modifiers = member.getModifiers();
        boolean isFinal = type.getModifiers().contains(JavaModifier.FINAL);
        return !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE)
                && (modifiers.contains(JavaModifier.PUBLIC)
                        || (modifiers.contains(JavaModifier.PROTECTED) && !isFinal));
    }

    private static String line(JavaMember member) {
        var text =
                switch (member) {
                    case JavaField field -> field.getName() + ": " + shown(field.getType());
                    case JavaConstructor constructor -> "new(" + parameters(constructor) + ")";
                    case JavaMethod method ->
                            method.getName()
                                    + "("
                                    + parameters(method)
                                    + "): "
                                    + shown(method.getReturnType())
                                    + method.getDefaultValue()
                                            .map(PublicApiTest::byDefault)
                                            .orElse("");
                    default -> throw new IllegalArgumentException(member.getFullName());
                };
        return member.getModifiers().contains(JavaModifier.STATIC) ? "static " + text : text;
    }

    /** The default of an element of an annotation; an array is shown by its length. */
    private static String byDefault(Object value) {
        return switch (value) {
            case Object[] array -> " = " + array.length + " values";
            case String text -> " = \"" + text + "\"";
            default -> " = " + value;
        };
    }

    private static String parameters(JavaCodeUnit unit) {
        return unit.getParameterTypes().stream()
                .map(PublicApiTest::shown)
                .collect(Collectors.joining(", "));
    }

    /** Without the packages that everything uses. */
    private static String shown(JavaType type) {
        var name = type.getName();
        var array = ARRAY.matcher(name);
        if (array.matches()) {
            name = array.group(2) + "[]".repeat(array.group(1).length());
        }
        return name.replaceAll("\\bjava\\.(?:lang|util|time|net|util\\.function)\\.", "");
    }
}
