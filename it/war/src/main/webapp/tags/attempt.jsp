<%@ page session="false" contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<esi:try><esi:attempt><esi:include src="/nowhere"/>shown</esi:attempt><esi:except code="410">gone</esi:except><esi:except code="404">nowhere</esi:except><esi:except>broken</esi:except></esi:try>