<%@ page session="false" contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<esi:include src="/fragment/echo?from=jsp#top" alt="/fragment/own?x=1" onerror="continue" timeout="1500ms"><esi:param name="q" value="${param.q}"/>not shown</esi:include>