package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The built-in functions: docs/esi.md, Functions. */
class FunctionsTest {

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "$lower('ABC-É') ~ abc-É",
                "$upper('abc-é') ~ ABC-é",
                "$upper(12) ~ 12",
                "'[' + $strip('  a b  ') + ']' ~ [a b]",
                "'[' + $lstrip('  a ') + ']' ~ [a ]",
                "'[' + $rstrip('  a ') + ']' ~ [  a]",
                "$len('hello') ~ 5",
                "$len(['a','b']) ~ 2",
                "$len({'a': 1}) ~ 1",
                "$len($(nope)) ~ 0",
                "$len(1000) ~ 4",
                "$substr('whether tis nobler in the mind', 22) ~ the mind",
                "$substr('whether tis nobler in the mind', 0, 7) ~ whether",
                "$substr('whether tis nobler in the mind', 12, 18) ~ nobler",
                "$substr('whether tis nobler in the mind', -8) ~ the mind",
                "$substr('abcdef', -4, -2) ~ cd",
                "$substr('abc', 2, 1) ~ ``",
                "$substr('abc', -9223372036854775807, 9223372036854775807) ~ abc",
                "$index('hello','l') ~ 2",
                "$index('hello','x') ~ -1",
                "$index($(nope),'x') ~ -1",
                "$rindex('hello','l') ~ 3",
                "$rindex('hello','') ~ 5",
                "$replace('abc-def-ghi-', '-', '==') ~ abc==def==ghi==",
                "$replace('abc-def-ghi-', '-', '==', 2) ~ abc==def==ghi-",
                "$replace('abc-def-ghi-', '-', '') ~ abcdefghi",
                "$replace('abc', '', 'x') ~ abc",
                "$replace('abc', 'b', 'x', 0) ~ abc",
                "$replace('aaa', 'aa', 'b') ~ ba",
                "$str(1) + $str(1) ~ 11",
                "$str($(nope)) ~ ``",
                "$str(true) ~ true",
                "$int('42') + 1 ~ 43",
                "$int(' -7 ') ~ -7",
                "$int('3.9') ~ 3",
                "$int('x') ~ 0",
                "$int($(nope)) ~ 0",
                "$int('99999999999999999999') ~ 0",
                "$join(['a','b','c'], '-') ~ a-b-c",
                "$join(['a','b']) ~ a b",
                "$join([], '-') ~ ``",
                "$join('a') ~ a",
                "$join($string_split('a b c'), '+') ~ a+b+c",
                "$join($string_split('a,b,c', ',', 1), '+') ~ a+b,c",
                "$join($string_split('a,b,c', ',', 0), '+') ~ a,b,c",
                "$join($string_split('abc', ''), '+') ~ a+b+c",
                "$join($string_split('abc', '', 1), '+') ~ a+bc",
                "$len($string_split('', ',')) ~ 1",
                "$len($string_split('', '')) ~ 1",
                "$len($string_split(',', ',')) ~ 2",
                "$join($list_delitem(['a','b','c'], 1), '') ~ ac",
                "$join($list_delitem(['a','b','c'], 9), '') ~ abc",
                "$exists('a') ~ true",
                "$exists('') ~ false",
                "$exists($(nope)) ~ false",
                "$exists([]) ~ false",
                "$exists(0) ~ true",
                "$is_empty('') ~ true",
                "$is_empty([]) ~ true",
                "$is_empty($(nope)) ~ false",
                "$is_empty('a') ~ false",
                "$html_encode('<a href=\"x\">&') ~ &lt;a href=&quot;x&quot;&gt;&amp;",
                "$html_decode('&lt;&gt;&amp;&quot;&apos;&#65;&#x41;&nbsp;&#0;&#xD800;&#99999999999;&') ~ <>&\"'AA&nbsp;&#0;&#xD800;&#99999999999;&",
                "$html_decode('&#228;') ~ Ã¤",
                "$url_encode('a b&c-._~/é') ~ a%20b%26c-._~%2F%E9",
                "$url_decode('hello%20world+%zz%') ~ hello world+%zz%",
                "$base64_encode('Sean@Banan!') ~ U2VhbkBCYW5hbiE=",
                "$base64_decode('U2VhbkBCYW5hbiE=') ~ Sean@Banan!",
                "$base64_decode('U2VhbkBCYW5hbiE') ~ Sean@Banan!",
                "$convert_to_unicode('é') ~ é",
                "$convert_from_unicode('é') ~ é",
                "$digest_md5_hex('hello') ~ 5d41402abc4b2a76b9719d911017c592",
                "$digest_md5('hello') ~ 708854109,1982483388,-1851952711,-1832577264",
                "$bin_int(1094861636) ~ DCBA",
                "$dollar() + $dquote() + $squote() ~ $\"'",
                "$time() ~ 1795182005",
                "$http_time(0) ~ Thu, 01 Jan 1970 00:00:00 GMT",
                "$http_time('1795182005') ~ Fri, 20 Nov 2026 13:40:05 GMT",
                "$http_time() ~ Fri, 20 Nov 2026 13:40:05 GMT",
                "$upper($replace('a-b','-','_')) ~ A_B",
            })
    void functionsYieldWhatTheReferenceSays(String expression, String value) {
        var document = TestDocument.plain();

        assertThat(document.value(expression)).isEqualTo(value);
        assertThat(document.problems).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "%Y-%m-%dT%H:%M:%SZ ~ 2026-11-20T13:40:05Z",
                "%a %A %b %B %h ~ Fri Friday Nov November Nov",
                "%c ~ Fri Nov 20 13:40:05 2026",
                "%C %y %D %x %F ~ 20 26 11/20/26 11/20/26 2026-11-20",
                "%e %k %l %I %p %P ~ 20 13  1 01 PM pm",
                "%r %R %T %X ~ 01:40:05 PM 13:40 13:40:05 13:40:05",
                "%j %u %w %U %V %W %G %g ~ 324 5 5 46 47 46 2026 26",
                "%s %z %Z %% ~ 1795182005 +0000 UTC %",
                "%Q %é % ~ %Q %é %",
            })
    void timesAreWrittenAsInC(String format, String written) {
        var document = TestDocument.plain();

        assertThat(document.value("$strftime($time(), '" + format + "')")).isEqualTo(written);
    }

    @Test
    void aSundayIsTheFirstDayOfTheWeekAndTheSeventh() {
        var document = TestDocument.plain();

        // 1 January 2023 was a Sunday.
        assertThat(document.value("$strftime(1672531200, '%w %u %U %W %V %G %e|%n|%t')"))
                .isEqualTo("0 7 01 00 52 2022  1|\n|\t");
    }

    @Test
    void chanceIsWithinItsBoundAndRemembered() {
        var document = TestDocument.plain();

        assertThat(document.value("$last_rand()")).isEmpty();
        var drawn = document.value("$rand(10)");
        assertThat(Integer.parseInt(drawn)).isBetween(0, 9);
        assertThat(document.value("$last_rand()")).isEqualTo(drawn);
        assertThat(Integer.parseInt(document.value("$rand()"))).isBetween(0, 99_999_999);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$lower()",
                "$lower('a', 'b')",
                "$substr('abc')",
                "$substr('abc', 'x')",
                "$unknown(1)",
                "$rand(0)",
                "$rand('x')",
                "$list_delitem('abc', 1)",
                "$base64_decode('*')",
                "$http_time(999999999999)",
                "$strftime('x', '%Y')",
                "$bin_int('x')",
                "$string_split('a', 'b', 'c')",
                "$add_cachebusting_header()",
            })
    void mistakesAreNullAndTold(String expression) {
        var document = TestDocument.plain();

        assertThat(document.evaluate(expression)).isInstanceOf(Value.Null.class);
        assertThat(document.problems).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lower", "strip", "substr", "url_encode", "digest_md5_hex"})
    void nothingStaysNothing(String function) {
        var document = TestDocument.plain();
        var more = function.equals("substr") ? ", 1" : "";

        assertThat(document.evaluate("$" + function + "($(nope)" + more + ")"))
                .isInstanceOf(Value.Null.class);
        assertThat(document.problems).isEmpty();
    }
}
