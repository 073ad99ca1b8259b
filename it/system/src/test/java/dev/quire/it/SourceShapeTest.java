package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Limits for the size of main classes and of parameter lists, in the sources of all modules. */
class SourceShapeTest {
    private static final int MAX_LINES = 600;

    /** A grammar may be longer. */
    private static final Map<String, Integer> LONGER = Map.of("ExpressionParser.java", 700);

    private static final int MAX_PARAMETERS = 7;

    private static final List<String> MODULES =
            List.of(
                    "esi-core",
                    "esi-proxy",
                    "spring-starter",
                    "it/harness",
                    "it/bench",
                    "it/war",
                    "samples/news");

    /** The root of the project; tests run in the folder of their module. */
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @Test
    void mainClassesAreShort() throws IOException {
        var tooLong = new ArrayList<String>();
        for (var source : sources()) {
            int lines = Files.readAllLines(source).size();
            if (lines > LONGER.getOrDefault(source.getFileName().toString(), MAX_LINES)) {
                tooLong.add(lines + " lines: " + ROOT.relativize(source));
            }
        }

        assertThat(tooLong).isEmpty();
    }

    @Test
    void stepsOfARequestAreReadOnOnePage() throws IOException {
        var steps = ROOT.resolve("esi-proxy/src/main/java/dev/quire/proxy/path/RequestPath.java");

        assertThat(Files.readAllLines(steps)).hasSizeLessThanOrEqualTo(120);
    }

    /** A name means one thing in the product and the harness; bench, war and samples are apart. */
    @Test
    void typesHaveNamesOfTheirOwn() throws IOException {
        var places = new TreeMap<String, List<Path>>();
        for (var source : sources()) {
            var name = source.getFileName().toString();
            var place = ROOT.relativize(source);
            boolean isApart =
                    place.startsWith("it/bench")
                            || place.startsWith("it/war")
                            || place.startsWith("samples");
            if (!isApart && !name.endsWith("-info.java")) {
                places.computeIfAbsent(name, key -> new ArrayList<>()).add(place);
            }
        }
        places.values().removeIf(found -> found.size() == 1);

        assertThat(places).isEmpty();
    }

    @Test
    void methodsTakeFewParameters() throws IOException {
        var tooMany = new ArrayList<String>();
        try (var files =
                ToolProvider.getSystemJavaCompiler()
                        .getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            var task =
                    (JavacTask)
                            ToolProvider.getSystemJavaCompiler()
                                    .getTask(
                                            null,
                                            files,
                                            null,
                                            List.of("-proc:none"),
                                            null,
                                            files.getJavaFileObjectsFromPaths(sources()));
            for (var unit : task.parse()) {
                new Methods(unit, tooMany).scan(unit, null);
            }
        }

        assertThat(tooMany).isEmpty();
    }

    /** The main sources of every module. */
    private static List<Path> sources() throws IOException {
        var sources = new ArrayList<Path>();
        for (var module : MODULES) {
            try (var files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        // Fewer files cannot be the whole project.
        assertThat(sources).hasSizeGreaterThan(500);
        return sources;
    }

    /**
     * Collects methods and constructors with too many parameters, except canonical record
     * constructors and overriding methods, whose parameters are decided elsewhere.
     */
    private static final class Methods extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final List<String> tooMany;

        Methods(CompilationUnitTree unit, List<String> tooMany) {
            this.unit = unit;
            this.tooMany = tooMany;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
            var owner = (ClassTree) getCurrentPath().getParentPath().getLeaf();
            int count = method.getParameters().size();
            if (count > MAX_PARAMETERS && !isCanonical(method, owner) && !overrides(method)) {
                tooMany.add(
                        "%d parameters: %s.%s in %s"
                                .formatted(
                                        count,
                                        owner.getSimpleName(),
                                        method.getName(),
                                        ROOT.relativize(Path.of(unit.getSourceFile().toUri()))));
            }
            return super.visitMethod(method, null);
        }

        private static boolean overrides(MethodTree method) {
            return method.getModifiers().getAnnotations().stream()
                    .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
        }

        private static boolean isCanonical(MethodTree method, ClassTree owner) {
            return owner.getKind() == Tree.Kind.RECORD
                    && method.getName().contentEquals("<init>")
                    && types(method.getParameters()).equals(types(components(owner)));
        }

        private static List<VariableTree> components(ClassTree type) {
            return type.getMembers().stream()
                    .filter(VariableTree.class::isInstance)
                    .map(VariableTree.class::cast)
                    .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                    .toList();
        }

        private static List<String> types(List<? extends VariableTree> variables) {
            return variables.stream().map(variable -> variable.getType().toString()).toList();
        }
    }
}
