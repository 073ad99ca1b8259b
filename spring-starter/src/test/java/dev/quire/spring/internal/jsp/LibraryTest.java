package dev.quire.spring.internal.jsp;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.beans.Introspector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** The library's descriptor matches its classes. */
class LibraryTest {

    private final Document library = read();

    @Test
    void everyTagHasItsClassAndEveryClassIsATag() {
        var described = tags().map(tag -> text(tag, "tag-class")).toList();

        var classes =
                new ClassFileImporter()
                                .withImportOption(new ImportOption.DoNotIncludeTests())
                                .importPackages("dev.quire.spring.internal.jsp")
                                .stream()
                                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                                .map(type -> type.getName())
                                .toList();
        assertThat(described).containsExactlyInAnyOrderElementsOf(classes);
    }

    @Test
    void everyAttributeHasItsSetterAndADescription() throws Exception {
        for (var tag : tags().toList()) {
            var described = new ArrayList<String>();
            for (var attribute : children(tag, "attribute").toList()) {
                described.add(text(attribute, "name"));
                assertThat(text(attribute, "description")).endsWith(".");
            }

            var type = Class.forName(text(tag, "tag-class"));
            var setters =
                    Arrays.stream(
                                    Introspector.getBeanInfo(type, Object.class)
                                            .getPropertyDescriptors())
                            .filter(property -> property.getWriteMethod() != null)
                            .filter(property ->
                                    property.getWriteMethod().getDeclaringClass() == type)
                            .map(property -> property.getName())
                            .toList();
            assertThat(described).as(type.getName()).containsExactlyInAnyOrderElementsOf(setters);
            assertThat(text(tag, "description")).endsWith(".");
        }
    }

    @Test
    void tagIsNamedAsThePageNamesIt() throws Exception {
        for (var tag : tags().toList()) {
            var type =
                    Class.forName(text(tag, "tag-class"))
                            .asSubclass(dev.quire.spring.internal.jsp.ElementTag.class);
            var made = type.getConstructor().newInstance();

            assertThat(made.name()).isEqualTo("esi:" + text(tag, "name"));
        }
    }

    @Test
    void expressionsOfTheLanguageAreWrittenInThePageAndNeverComputed() {
        var literal = List.of("when/test", "vars/name", "vars/key");

        var found =
                tags().flatMap(tag ->
                                children(tag, "attribute")
                                        .filter(attribute ->
                                                text(attribute, "rtexprvalue").equals("false"))
                                        .map(attribute ->
                                                text(tag, "name") + "/" + text(attribute, "name")))
                        .toList();
        assertThat(found).containsExactlyElementsOf(literal);
    }

    private Stream<Element> tags() {
        return children(library.getDocumentElement(), "tag");
    }

    private static Stream<Element> children(Element parent, String name) {
        var nodes = parent.getElementsByTagName(name);
        return IntStream.range(0, nodes.getLength()).mapToObj(nodes::item).map(Element.class::cast);
    }

    private static String text(Element parent, String name) {
        return children(parent, name).findFirst().map(Element::getTextContent).orElse("");
    }

    private static Document read() {
        try (var file = LibraryTest.class.getResourceAsStream("/META-INF/esi.tld")) {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file);
        } catch (Exception e) {
            throw new AssertionError("no readable META-INF/esi.tld", e);
        }
    }
}
